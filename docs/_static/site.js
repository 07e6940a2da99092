// The theme's buttons that open a part of the side bar have a picture only; screen readers need a name.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("nav summary")) button.setAttribute("aria-label", "Pages of this part");
});
