# Whether all slices share one value of a number.

homogeneity_tests <- function(values, overall, groups, minimum, conf_level, registry) {
  number <- number_of(values, overall)
  scales <- number_scales[registry$range[match(overall$metric, registry$name)]]
  scales[is.na(scales)] <- "identity"
  directed <- registry$name[registry$direction %in% c("higher", "lower")]
  tests <- lapply(names(groups), function(group) {
    rows <- lapply(seq_len(nrow(overall)), function(i) {
      of_number <- values[values$group == group & number == i, ]
      of_number$label <- slice_text(of_number$level, length(groups[[group]]) > 1)
      homogeneity_test(of_number, minimum, conf_level, scales[[i]])
    })
    rows <- do.call(rbind, rows)
    rows <- rows[rows$metric %in% directed, ]
    rows$p_adjusted <- stats::p.adjust(rows$p_value, "holm")
    rows
  })
  tests <- do.call(rbind, tests)[c(
    "group", "metric", "estimator", "class", "slices", "statistic", "df", "p_value", "p_adjusted",
    "method", "reason"
  )]
  rownames(tests) <- NULL
  tests
}

# By the range of a number, the scale on which it has none.
number_scales <- c("[0, 1]" = "logit", "[-1, 1]" = "fisher", "[0, Inf)" = "log")

pearson_method <- "Pearson's chi-square"

cochran_methods <- c(
  identity = "Cochran's Q", logit = "Cochran's Q (logit)", fisher = "Cochran's Q (Fisher z)",
  log = "Cochran's Q (log)"
)

# `rows` hold one number, a row per slice.
homogeneity_test <- function(rows, minimum, conf_level, scale) {
  is_proportion <- any(rows$method %in% proportion_methods)
  small <- rows$n < minimum
  without <- !small &
    (is.na(rows$std_error) | (!is_proportion & is_zero_error(rows$std_error)))
  used <- rows[!small & !without, ]
  left <- join_reasons(
    leave_out(rows$label[small], paste("with fewer than", minimum, "rows")),
    leave_out(rows$label[without], "without a standard error")
  )
  row <- function(statistic, method, reason = NA_character_) {
    df <- if (is.na(statistic)) NA_real_ else nrow(used) - 1
    data.frame(
      rows[1, c("group", "metric", "estimator", "class")],
      slices = nrow(used), statistic = statistic, df = df,
      p_value = stats::pchisq(statistic, df, lower.tail = FALSE), method = method,
      reason = join_reasons(reason, left), row.names = NULL, stringsAsFactors = FALSE
    )
  }
  if (nrow(used) < 2) {
    return(row(NA_real_, NA_character_, "no test: fewer than two slices to compare"))
  }
  if (is_proportion) {
    statistic <- pearson_statistic(used, conf_level)
    if (is.nan(statistic)) {
      alike <- paste("no test: the estimate of every slice is", used$estimate[[1]])
      return(row(NA_real_, NA_character_, alike))
    }
    return(row(statistic, pearson_method))
  }
  scaled <- on_scale(used$estimate, used$std_error, scale)
  row(cochran_q(scaled$estimate, scaled$std_error), cochran_methods[[scale]])
}

leave_out <- function(labels, why) {
  if (length(labels) == 0) NA_character_ else paste("left out:", enumerate("slice", labels), why)
}

# Cochran (1954)
cochran_q <- function(estimate, std_error) {
  precision <- 1 / std_error^2
  sum(precision * (estimate - weighted_mean(estimate, precision))^2)
}

on_scale <- function(estimate, std_error, scale) {
  switch(scale,
    identity = list(estimate = estimate, std_error = std_error),
    logit = list(
      estimate = stats::qlogis(estimate), std_error = std_error / (estimate * (1 - estimate))
    ),
    fisher = list(estimate = atanh(estimate), std_error = std_error / (1 - estimate^2)),
    log = list(estimate = log(estimate), std_error = std_error / estimate)
  )
}

# Pearson (1900); NaN where no slice differs from 0, or from 1.
pearson_statistic <- function(rows, conf_level) {
  rows <- as_proportion(rows)
  trials <- trials_of(rows, conf_level)
  pooled <- weighted_mean(rows$estimate, trials)
  sum(trials * (rows$estimate - pooled)^2) / (pooled * (1 - pooled))
}

# F1 of one class is reported as a function of a proportion, of which it has the interval.
as_proportion <- function(rows) {
  if (rows$metric[[1]] != "f1" || !rows$estimator[[1]] %in% c("binary", "one_vs_rest")) {
    return(rows)
  }
  ends <- c("estimate", "lower", "upper")
  rows[ends] <- lapply(rows[ends], function(f1) f1 / (2 - f1))
  rows$std_error <- rows$std_error * (1 + rows$estimate)^2 / 2
  rows
}

# How many trials a proportion rests on, by its standard error; at 0 and 1, where that is 0, by the
# other end of its exact interval.
trials_of <- function(rows, conf_level) {
  tail <- (1 - conf_level) / 2
  with(rows, ifelse(
    estimate == 0, log(tail) / log1p(-upper),
    ifelse(estimate == 1, log(tail) / log(lower), estimate * (1 - estimate) / std_error^2)
  ))
}
