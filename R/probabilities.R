# Scores of the probabilities themselves; both take any number of classes.

probability_opinions <- function(predictions, conf_level) {
  positive <- facts(predictions)$positive
  estimator <- if (is.null(positive)) "multiclass" else "binary"
  probabilities <- probabilities_of(predictions)
  truth <- as.integer(predictions$true_label)
  weights <- weights_of(predictions)
  rbind(
    mean_opinion(
      "log_loss", estimator, row_log_loss(probabilities, truth), weights, "log", conf_level
    ),
    mean_opinion(
      "brier_score", estimator, row_brier(probabilities, truth, positive), weights, "logit",
      conf_level
    )
  )
}

# The mean of what each row loses.
mean_opinion <- function(metric, estimator, losses, weights, scale, conf_level) {
  mean <- weighted_mean(losses, weights)
  error <- influence_error(losses - mean, weights)
  delta_opinion(metric, estimator, mean, error, scale, conf_level)
}

# Good (1952) <doi:10.1111/j.2517-6161.1952.tb00104.x>
row_log_loss <- function(probabilities, truth) {
  eps <- .Machine$double.eps
  of_truth <- probabilities[cbind(seq_along(truth), truth)]
  -log(pmin(pmax(of_truth, eps), 1 - eps))
}

# Brier (1950), halved so that it lies in [0, 1]. Of two classes only the positive one counts: where
# the two probabilities do not sum to exactly 1, it is the one that decides.
row_brier <- function(probabilities, truth, positive = NULL) {
  if (!is.null(positive)) {
    is_positive <- colnames(probabilities)[truth] == positive
    return((probabilities[, positive] - is_positive)^2)
  }
  at_truth <- cbind(seq_along(truth), truth)
  probabilities[at_truth] <- probabilities[at_truth] - 1
  rowSums(probabilities^2) / 2
}
