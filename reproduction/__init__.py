"""The paper's experiments, again: `python -m reproduction` runs what is missing, `... report` shows what there is.

recipes.py says what is done, paper.py what the paper printed; problems.py has the data and their splits, classifiers.py
builds classifiers, selection.py chooses their settings on validation data, measure.py does one run, runner.py all of
them, records.py keeps the results; tables.py, figures.py and report.py show them. For the networks of images, images.py
has the recipes, networks.py does one run, pictures.py shows what came out.
"""
