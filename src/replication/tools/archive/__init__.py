"""What an archive wants of a run: the list of its outputs, and one package of workflow, inputs and results."""
