"""
The best model of rules, with a proof
=====================================

Which patients with diabetes get worse within a year? Rules of two tests, such as "bmi > 25.75 and
s4 > 3.94", are easy to read. There are thousands of them on this table. Other programs take the
rules of some trees; here a search goes through all, and the model comes with an interval: no model
of any such rules is better by more. The picture shows the rules of the chosen model.
"""

from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import coordboost as cb

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

# %%
# The Lasso over all rules of two tests; the penalty by cross-validation, with the rule of one
# standard error.
model = cb.estimators.CertifiedRulesRegressorCV(depth=2, eps=0.2, n_alphas=20).fit(X, y)
print(model.certificate_)
print(f"R2 on new patients: {model.score(X_test, y_test):.2f}")

# %%
# The rules, as a table. Where a rule holds, its coefficient is added to the prediction; *support*
# is the share of the patients for whom it holds, *lift* how far their mean is above that of all.
rules = model.rules_()
print(rules[["rule", "coefficient", "support", "lift"]].round(2).head(8).to_string())

# %%
# As a picture.
cb.plots.RulesDisplay.from_estimator(model)
