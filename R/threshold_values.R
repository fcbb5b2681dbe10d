# The numbers of an operating point, and what they lose by its having been chosen.

point_values <- function(predictions, points, conf_level, interval) {
  load_caret()
  rows <- lapply(seq_len(nrow(points)), function(i) {
    threshold <- points$threshold[[i]]
    data.frame(
      rule = points$rule[[i]],
      if (is.na(threshold)) {
        opinion(
          point_metrics, "binary", rep(NA_real_, length(point_metrics)), reason = points$reason[[i]]
        )
      } else {
        values_at(predictions, threshold, conf_level, interval)
      },
      stringsAsFactors = FALSE
    )
  })
  do.call(rbind, rows)
}

# Of the decision that is positive where the score is at or above `threshold`.
values_at <- function(predictions, threshold, conf_level, interval) {
  positive <- facts(predictions)$positive
  tallied <- counts_at(predictions, threshold)
  values <- class_values(tallied)
  rbind(
    positive_opinions(values, positive, conf_level, interval),
    share_opinion(
      "accuracy", "binary", sum(values$correct) / sum(values$true), function(m) sum(diag(m)),
      tallied, conf_level, interval
    ),
    youden_opinion(values, conf_level),
    likelihood_opinions(values, positive, conf_level)
  )
}

counts_at <- function(predictions, threshold) {
  attr(predictions, "rside")$threshold <- threshold
  predictions$pred_label <- rule_of(predictions)
  counts_of(predictions)
}

# Twice the balanced accuracy less 1, so that its interval is Newcombe's (1998) method 10 for the
# difference of two proportions, the true and the false positive rate.
youden_opinion <- function(values, conf_level) {
  if (anyNA(values$sensitivity)) {
    present <- values$class[!is.na(values$sensitivity)]
    return(opinion("youden_index", "binary", NA_real_, reason = only_in_truth(present)))
  }
  youden <- mover_opinion(
    "youden_index", "binary", values, "sensitivity", not_in_truth, conf_level
  )
  ends <- c("estimate", "lower", "upper")
  youden[ends] <- lapply(youden[ends], function(share) 2 * share - 1)
  youden$std_error <- 2 * youden$std_error
  youden
}

# Ratios with intervals that are symmetric in the logarithm: Simel, Samsa and Matchar (1991) for
# likelihood ratios, Woolf (1955) for the odds ratio. No cell of a table is ever added to.
likelihood_opinions <- function(values, positive, conf_level) {
  if (anyNA(values$sensitivity)) {
    present <- values$class[!is.na(values$sensitivity)]
    return(opinion(ratio_metrics, "binary", rep(NA_real_, 3), reason = only_in_truth(present)))
  }
  is_positive <- values$class == positive
  sensitivity <- values$sensitivity[is_positive]
  specificity <- values$sensitivity[!is_positive]
  positives <- values$sensitivity_trials[is_positive]
  negatives <- values$sensitivity_trials[!is_positive]
  row <- function(metric, above, below, variance, named, method) {
    log_ratio_opinion(metric, above, below, variance, named, method, conf_level)
  }
  rbind(
    row(
      ratio_metrics[[1]], sensitivity, 1 - specificity,
      log_variance(sensitivity, positives) + log_variance(1 - specificity, negatives),
      c("sensitivity", "1 - specificity"), "Simel (log)"
    ),
    row(
      ratio_metrics[[2]], 1 - sensitivity, specificity,
      log_variance(1 - sensitivity, positives) + log_variance(specificity, negatives),
      c("1 - sensitivity", "specificity"), "Simel (log)"
    ),
    row(
      ratio_metrics[[3]], sensitivity * specificity, (1 - sensitivity) * (1 - specificity),
      1 / (positives * sensitivity * (1 - sensitivity)) +
        1 / (negatives * specificity * (1 - specificity)),
      c("TP x TN", "FP x FN"), "Woolf (log)"
    )
  )
}

ratio_metrics <- c(
  "likelihood_ratio_positive", "likelihood_ratio_negative", "diagnostic_odds_ratio"
)

point_metrics <- c(
  "sensitivity", "specificity", "precision", "npv", "f1", "accuracy", "youden_index", ratio_metrics
)

# Of the logarithm of a proportion.
log_variance <- function(share, trials) (1 - share) / (share * trials)

# `named` says what stands above and below.
log_ratio_opinion <- function(metric, above, below, variance, named, method, conf_level) {
  if (above > 0 && below > 0) {
    ratio <- above / below
    return(delta_opinion(
      metric, "binary", ratio, ratio * sqrt(variance), "log", conf_level, method = method
    ))
  }
  reason <- if (above > 0) {
    paste0("infinite, so no interval: ", named[[2]], " is 0")
  } else if (below > 0) {
    paste0("no interval: ", named[[1]], " is 0")
  } else {
    paste0(named[[1]], " and ", named[[2]], " are both 0")
  }
  opinion(metric, "binary", above / below, reason = reason)
}

# --- optimism ----------------------------------------------------------------

# Of every point that was searched for; they come first.
point_optimism <- function(predictions, points, searched, conf_level, interval) {
  rows <- lapply(seq_along(searched$found), function(i) {
    data.frame(
      rule = points$rule[[i]],
      optimism_at(
        predictions, points$threshold[[i]], searched$found[[i]]$optimism, conf_level, interval
      ),
      stringsAsFactors = FALSE
    )
  })
  do.call(rbind, rows)
}

# The rates less their optimism, with the intervals that the corrected rates would have.
optimism_at <- function(predictions, threshold, optimism, conf_level, interval) {
  positive <- facts(predictions)$positive
  tallied <- counts_at(predictions, threshold)
  values <- class_values(tallied)
  rates <- c(match(positive, values$class), which(values$class != positive))
  apparent <- values$sensitivity[rates]
  values$sensitivity[rates] <- pmin(pmax(apparent - optimism, 0), 1)
  corrected <- rbind(
    positive_opinions(values, positive, conf_level, interval)[1:2, ],
    youden_opinion(values, conf_level)
  )
  data.frame(
    metric = corrected$metric, apparent = c(apparent, sum(apparent) - 1),
    optimism = c(optimism, sum(optimism)), corrected = corrected$estimate,
    corrected[c("std_error", "lower", "upper", "method", "reason")],
    stringsAsFactors = FALSE, row.names = NULL
  )
}
