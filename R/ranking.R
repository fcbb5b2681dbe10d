# Rows in the order of a score: what a ROC curve, a precision-recall curve and a placement need, for
# any weights, in one pass. A bootstrap sample has other weights, but the same order.

# The greatest score first; `last` marks the last row of each distinct score.
ranking <- function(score) {
  order <- order(score, decreasing = TRUE, method = "radix")
  sorted <- score[order]
  last <- which(c(sorted[-1] != sorted[-length(sorted)], TRUE))
  list(order = order, last = last, threshold = sorted[last])
}

# How much of `amount` lies at or above each distinct score.
at_or_above <- function(ranking, amount) cumsum(amount[ranking$order])[ranking$last]

# What holds for each distinct score, for each row.
to_rows <- function(ranking, value) {
  rows <- value
  rows[ranking$order] <- rep(value, diff(c(0, ranking$last)))
  rows
}

# True and false positives, by weight, where everything at or above a score is called positive.
calls <- function(ranking, is_positive, weights) {
  list(
    true = at_or_above(ranking, weights * is_positive),
    false = at_or_above(ranking, weights * !is_positive)
  )
}

total <- function(cumulated) cumulated[[length(cumulated)]]

# P(positive above negative) + P(equal) / 2.
auc_of_calls <- function(calls) {
  false <- calls$false
  beaten <- total(false) - false + diff(c(0, false)) / 2
  auc <- sum(diff(c(0, calls$true)) * beaten) / total(calls$true) / total(false)
  # By rounding it may be outside.
  max(min(auc, 1), 0)
}

# DeLong et al. (1988): what a row adds to the AUC is its placement among the rows of the other
# class. Case weights enter the placements; with equal weights the standard error is DeLong's.
# `sizes` are the numbers of negatives and positives that are independent of each other.
auc_influence <- function(score, is_positive, weights,
                          sizes = c(sum(!is_positive), sum(is_positive))) {
  ranked <- ranking(score)
  calls <- calls(ranked, is_positive, weights)
  true <- calls$true
  false <- calls$false
  auc <- auc_of_calls(calls)
  of_positives <- to_rows(ranked, (total(false) - false + diff(c(0, false)) / 2) / total(false))
  of_negatives <- to_rows(ranked, (true - diff(c(0, true)) / 2) / total(true))
  scale <- function(size, weight) sum(weights) / weight * sqrt(size / (size - 1))
  list(
    estimate = auc,
    influence = ifelse(
      is_positive,
      (of_positives - auc) * scale(sizes[[2]], total(true)),
      (of_negatives - auc) * scale(sizes[[1]], total(false))
    )
  )
}
