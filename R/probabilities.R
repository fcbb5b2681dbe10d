# Scores of the probabilities themselves; both take any number of classes.

probability_opinions <- function(predictions) {
  positive <- facts(predictions)$positive
  estimator <- if (is.null(positive)) "multiclass" else "binary"
  probabilities <- probabilities_of(predictions)
  truth <- as.integer(predictions$true_label)
  opinion(
    c("log_loss", "brier_score"), estimator,
    c(log_loss(probabilities, truth), brier_score(probabilities, truth, positive))
  )
}

# Good (1952) <doi:10.1111/j.2517-6161.1952.tb00104.x>
log_loss <- function(probabilities, truth) {
  eps <- .Machine$double.eps
  of_truth <- probabilities[cbind(seq_along(truth), truth)]
  -mean(log(pmin(pmax(of_truth, eps), 1 - eps)))
}

# Brier (1950), halved so that it lies in [0, 1]. Of two classes only the positive one counts: where
# the two probabilities do not sum to exactly 1, it is the one that decides.
brier_score <- function(probabilities, truth, positive = NULL) {
  if (!is.null(positive)) {
    is_positive <- colnames(probabilities)[truth] == positive
    return(mean((probabilities[, positive] - is_positive)^2))
  }
  at_truth <- cbind(seq_along(truth), truth)
  probabilities[at_truth] <- probabilities[at_truth] - 1
  mean(rowSums(probabilities^2)) / 2
}
