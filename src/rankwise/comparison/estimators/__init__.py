"""Ways to score methods by a table with holes, each with intervals; `registry` names them."""
