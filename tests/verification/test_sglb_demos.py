"""Numbers in the theory of Langevin boosting, measured again: simulations agree with the theory
within Monte Carlo errors.
"""

import pytest
from reference_sets import needs_compiler

from verification.experiments.sglb_chains import CHAINS
from verification.experiments.sglb_laws import LAWS


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("demo", [*LAWS, *CHAINS], ids=lambda demo: demo.__name__)
def test_every_number_is_within_its_error(demo):
    assert [line for line in demo(False) if not line["holds"]] == []
