"""The paper's experiments: `python -m reproduction` does the runs that are missing, `... report` shows the results.

recipes.py, image_recipes.py and choice_recipes.py (what the paper leaves open) say what is done, as the configurations
of tasks.py; image_settings.py has what image recipes share. classifiers.py builds classifiers, setting_search.py
chooses their settings on validation rows, table_runs.py and image_runs.py do one run, and runner.py does all of them.
summary.py, result_tables.py, findings.py, figures.py, image_sections.py and report.py show the results; the prose of
the report is in text/.
"""
