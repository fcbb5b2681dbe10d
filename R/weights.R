# Case weights. A weight of k counts a row as k copies in every estimate; intervals take the rows,
# not the copies, as the sample, so that only the ratios of the weights matter.

# Rows of weight 0 count nothing, in estimates and in intervals.
counted_rows <- function(predictions) {
  weight <- predictions[["weight"]]
  if (is.null(weight) || all(weight > 0)) {
    return(predictions)
  }
  known <- facts(predictions)
  known$weightless <- (known$weightless %||% 0) + sum(weight == 0)
  part <- predictions[weight > 0, ]
  attr(part, "rside") <- known
  part
}

# Equal weights are no weights.
is_weighted <- function(predictions) {
  weight <- predictions[["weight"]]
  !is.null(weight) && any(weight != weight[[1]])
}

# Only ratios count; a power of 2 changes none, and keeps squares within reach.
weights_of <- function(predictions) {
  if (!is_weighted(predictions)) {
    return(rep(1, nrow(predictions)))
  }
  predictions[["weight"]] / weight_unit(predictions)
}

weight_unit <- function(predictions) {
  if (is_weighted(predictions)) 2^floor(log2(max(predictions[["weight"]]))) else 1
}

# Kish (1965): how many rows of equal weight would be as many.
effective_rows <- function(weights) sum(weights)^2 / sum(weights^2)

weighted_mean <- function(x, weights) sum(weights * x) / sum(weights)

weight_notes <- function(predictions) {
  if (!"weight" %in% names(predictions)) {
    return(NULL)
  }
  weightless <- facts(predictions)$weightless %||% 0
  c(
    if (weightless > 0) {
      c(zero_weights = paste0(
        count_of(weightless, "row"), " left out of every number: the `weight` is 0."
      ))
    },
    if (is_weighted(predictions)) {
      c(weights_used = paste0(
        "Rows count by their `weight`; in their precision, the ",
        format_count(nrow(predictions)), " rows are worth ",
        sprintf("%.1f", effective_rows(weights_of(predictions))), " of equal weight (Kish)."
      ))
    } else {
      c(weights_equal = "All weights are equal: they change nothing.")
    }
  )
}
