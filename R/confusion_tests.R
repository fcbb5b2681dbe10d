# Tests of the counts of a confusion matrix.

confusion_tests <- function(counts, weighted) {
  tests <- list(
    no_information_rate = rate_test, mcnemar = mcnemar(correct = FALSE),
    mcnemar_corrected = mcnemar(correct = TRUE), mcnemar_exact = mcnemar_exact
  )
  if (nrow(counts) > 2) tests <- list(no_information_rate = rate_test, bowker = bowker)
  rows <- Map(
    function(name, test) if (weighted) no_test(name, no_weights) else test(name, counts),
    names(tests), tests
  )
  do.call(rbind, unname(rows))
}

test_row <- function(test, statistic, df, p_value, reason = NA_character_) {
  data.frame(
    test = test, statistic = statistic, df = df, p_value = p_value, reason = reason,
    stringsAsFactors = FALSE
  )
}

no_test <- function(test, reason) test_row(test, NA_real_, NA_real_, NA_real_, reason)

# caret's test of accuracy against the share of the most frequent class.
rate_test <- function(name, counts) {
  correct <- sum(diag(counts))
  n <- sum(counts)
  p_value <- stats::pbinom(correct - 1, n, max(colSums(counts)) / n, lower.tail = FALSE)
  test_row(name, correct, NA_real_, p_value)
}

nothing_discordant <- "no row's prediction differs from the truth"

mcnemar <- function(correct) {
  function(name, counts) {
    if (discordant(counts) == 0) {
      return(no_test(name, nothing_discordant))
    }
    test <- stats::mcnemar.test(counts, correct = correct)
    test_row(name, unname(test$statistic), unname(test$parameter), test$p.value)
  }
}

mcnemar_exact <- function(name, counts) {
  if (discordant(counts) == 0) {
    return(no_test(name, nothing_discordant))
  }
  larger <- max(counts[1, 2], counts[2, 1])
  test_row(name, larger, NA_real_, two_sided_binomial(larger, discordant(counts)))
}

discordant <- function(counts) sum(counts) - sum(diag(counts))

# Twice the smaller tail of a fair coin.
two_sided_binomial <- function(larger, n) {
  min(1, 2 * stats::pbinom(larger - 1, n, 0.5, lower.tail = FALSE))
}

# Bowker (1948), over the pairs of classes that are taken for each other at all; mcnemar.test()
# gives NaN where one is not.
bowker <- function(name, counts) {
  above <- counts[upper.tri(counts)]
  below <- t(counts)[upper.tri(counts)]
  sums <- above + below
  pairs <- sums > 0
  if (!any(pairs)) {
    return(no_test(name, nothing_discordant))
  }
  statistic <- sum((above - below)[pairs]^2 / sums[pairs])
  df <- sum(pairs)
  empty <- length(pairs) - df
  test_row(
    name, statistic, df, stats::pchisq(statistic, df, lower.tail = FALSE),
    if (empty > 0) paste(count_of(empty, "pair"), "of classes never confused, left out") else NA
  )
}

format_tests <- function(tests) {
  df <- ifelse(is.na(tests$df), "", paste0(", df ", format_number(tests$df)))
  p <- sub("= <", "<", paste("p =", format_p(tests$p_value)), fixed = TRUE)
  value <- ifelse(
    is.na(tests$p_value), "NA", paste0(p, " (", signif(tests$statistic, 5), df, ")")
  )
  reason <- ifelse(is.na(tests$reason), "", paste0("\n    ", tests$reason))
  paste0("  ", formatC(tests$test, width = -34), value, reason)
}

format_p <- function(p) {
  ifelse(is.na(p), "NA", ifelse(p < 0.0001, "< 0.0001", sprintf("%.4f", p)))
}

# --- predictive values at a stated prevalence ---------------------------------

check_prevalence <- function(prevalence, matrix) {
  if (!is_number(prevalence) || prevalence <= 0 || prevalence >= 1) {
    refuse_argument("`prevalence` must be one number between 0 and 1.")
  }
  if (is.null(matrix$positive)) {
    refuse_argument(
      "Predictive values at a prevalence are defined for two classes.",
      paste("There are", nrow(matrix$table), "classes."), "Leave `prevalence` out."
    )
  }
}

# Bayes' rule; the interval on the logit scale is that of Mercaldo, Lau and Zhou (2007).
at_prevalence <- function(overall, prevalence, conf_level) {
  row <- function(metric) overall[overall$metric == metric, ]
  sensitivity <- row("sensitivity")
  specificity <- row("specificity")
  one <- function(metric, found, missed, odds) {
    # The logit of the value is log(found) - log(missed) + log(odds), a hit rate over an error rate.
    hit <- found$estimate
    false <- 1 - missed$estimate
    reason <- join_reasons(found$reason, missed$reason)
    if (is.na(hit + false)) {
      return(opinion(metric, "binary", NA_real_, reason = reason))
    }
    if (hit == 0 && false == 0) {
      return(opinion(
        metric, "binary", NA_real_, reason = "sensitivity and specificity allow no such call"
      ))
    }
    estimate <- hit * odds / (hit * odds + false)
    logit_error <- sqrt((found$std_error / hit)^2 + (missed$std_error / false)^2)
    error <- if (is.finite(logit_error)) logit_error * estimate * (1 - estimate) else 0
    delta_opinion(metric, "binary", estimate, error, "logit", conf_level)
  }
  odds <- prevalence / (1 - prevalence)
  rbind(
    one("ppv_at_prevalence", sensitivity, specificity, odds),
    one("npv_at_prevalence", specificity, sensitivity, 1 / odds)
  )
}
