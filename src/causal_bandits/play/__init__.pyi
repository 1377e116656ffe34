from .run import Run as Run
from .run import Sums as Sums
from .run import play as play
from .run import play_sums as play_sums
