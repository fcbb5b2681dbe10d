# Tests of whether probabilities hold.

calibration_tests <- function(predictions, groups) {
  if (is_weighted(predictions)) {
    return(rbind(
      no_test("hosmer_lemeshow", no_weights), no_test("spiegelhalter", no_weights)
    ))
  }
  rbind(hosmer_lemeshow(predictions, groups), spiegelhalter(predictions))
}

# Hosmer and Lemeshow (1980), for probabilities that were not fitted to these rows.
hosmer_lemeshow <- function(predictions, groups) {
  name <- "hosmer_lemeshow"
  if (is.null(facts(predictions)$positive)) {
    return(no_test(name, "defined for two classes"))
  }
  event <- positive_event(predictions)
  event$bin <- quantile_bins(event$score, 1 + 0 * event$score, groups)
  happened <- event$occurs(as.integer(predictions$true_label))
  sums <- sums_by_bin(event, rep(1, length(happened)), happened)
  expected <- sums[, "score"]
  others <- sums[, "weight"] - expected
  if (any(expected == 0 | others == 0)) {
    return(no_test(name, "no test: all probabilities of a group are 0, or all are 1"))
  }
  difference <- sums[, "happened"] - expected
  statistic <- sum(difference^2 / expected + difference^2 / others)
  df <- nrow(sums)
  test_row(name, statistic, df, stats::pchisq(statistic, df, lower.tail = FALSE))
}

# Spiegelhalter (1986). With p of the true class, the Brier score of a row, summed over the classes,
# is 1 - 2 p + sum(p_k^2); written so, it holds for any number of classes.
spiegelhalter <- function(predictions) {
  name <- "spiegelhalter"
  probabilities <- probabilities_of(predictions)
  truth <- cbind(seq_len(nrow(probabilities)), as.integer(predictions$true_label))
  expected <- rowSums(probabilities^2)
  variance <- sum(rowSums(probabilities^3) - expected^2)
  # Rounding leaves traces of a variance that is 0.
  if (variance < 1e-12 * nrow(probabilities)) {
    return(no_test(name, "no test: the probabilities leave the Brier score no variance"))
  }
  z <- sum(expected - probabilities[truth]) / sqrt(variance)
  test_row(name, z, NA_real_, 2 * stats::pnorm(-abs(z)))
}
