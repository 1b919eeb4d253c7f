"""What every training needs: its measure, rounds, label levels, features relative to the query."""
