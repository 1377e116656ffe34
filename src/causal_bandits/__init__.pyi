from .errors import CausalBanditsError as CausalBanditsError
from .graphs.admg import ADMG as ADMG
from .graphs.exchange import as_admg as as_admg
from .graphs.intervention_sets import possibly_optimal_intervention_sets as possibly_optimal_intervention_sets
from .identification.c_factors import NotIdentifiable as NotIdentifiable
from .identification.identify import identify as identify
from .identification.z2id import z2id as z2id
from .logs.logs import Logs as Logs
from .models.bandit import SCMBandit as SCMBandit
from .models.discrete_scm import DiscreteSCM as DiscreteSCM
from .online.causal_bandit import CausalBandit as CausalBandit
from .online.contextual import ContextualCausalBandit as ContextualCausalBandit
from .policies.base import StepwisePolicy as StepwisePolicy
from .seeding import generators as generators

__version__: str
