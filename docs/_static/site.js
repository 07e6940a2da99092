// Wide formulas scroll with the keyboard, too.
window.addEventListener("load", () => {
  for (const formula of document.querySelectorAll('math[display="block"]'))
    if (formula.scrollWidth > formula.clientWidth) formula.setAttribute("tabindex", "0");
});
// Names for screen readers: the theme's buttons in the side bar show a picture only, the gallery hides the text of its links.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("nav summary")) button.setAttribute("aria-label", "Pages of this part");
  for (const link of document.querySelectorAll(".sphx-glr-thumbcontainer a")) link.setAttribute("aria-label", link.textContent);
});
