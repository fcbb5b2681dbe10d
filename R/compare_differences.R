# The differences of two models, number by number, and how precise they are.

# `precision` takes the measures of both models and their difference, which is defined, and gives
# what is known of its precision.
difference_rows <- function(a, b, models, precision) {
  of_a <- measures_of(a)
  of_b <- measures_of(b)
  rows <- lapply(names(of_a), function(key) {
    difference_row(of_a[[key]](), of_b[[key]](), models, precision)
  })
  do.call(rbind, rows)
}

difference_row <- function(a, b, models, precision) {
  difference <- a$estimate - b$estimate
  found <- if (is.na(difference)) precision_row() else precision(a, b, difference)
  said <- reason_of_both(a[[found$says]], b[[found$says]], models)
  cbind(
    data.frame(
      metric = a$metric, estimator = a$estimator, a = a$estimate, b = b$estimate,
      difference = difference, stringsAsFactors = FALSE
    ),
    found$row,
    data.frame(reason = join_reasons(said, found$reason), stringsAsFactors = FALSE)
  )
}

# `says` is the field of a measure that holds the reason to be given.
precision_row <- function(std_error = NA_real_, ends = c(NA_real_, NA_real_), statistic = NA_real_,
                          df = NA_real_, method = NA_character_, reason = NA_character_,
                          says = "reason") {
  list(
    row = data.frame(
      std_error = plain_na(std_error), lower = ends[[1]], upper = ends[[2]],
      statistic = statistic, df = df, p_value = two_sided(statistic, df), method = method,
      stringsAsFactors = FALSE
    ),
    reason = reason, says = says
  )
}

reason_of_both <- function(a, b, models) {
  if (identical(a, b)) {
    return(a)
  }
  of_model <- function(reason, model) if (!is.na(reason)) paste0(model, ": ", reason)
  join_reasons(of_model(a, models[[1]]), of_model(b, models[[2]]))
}

two_sided <- function(statistic, df) {
  if (is.na(df)) 2 * stats::pnorm(-abs(statistic)) else 2 * stats::pt(-abs(statistic), df)
}

# --- by the influence of the rows --------------------------------------------------

delta_precision <- function(a, b, paired, conf_level, proportions) {
  weights_of_a <- weights_of(a)
  weights_of_b <- weights_of(b)
  weighted <- is_weighted(a) || is_weighted(b)
  function(of_a, of_b, difference) {
    share <- if (!weighted) proportion_of(of_a$metric, a, b, paired, conf_level, proportions)
    spread <- if (paired) {
      paired_spread(of_a, of_b, weights_of_a)
    } else {
      unpaired_spread(of_a, of_b, weights_of_a, weights_of_b)
    }
    error <- spread$std_error
    if (!is.null(share)) {
      return(precision_row(
        error, share$ends, share$statistic, method = share$method, reason = share$reason
      ))
    }
    if (is.na(error) || is_zero_error(error)) {
      return(precision_row(error, reason = if (is.na(error)) NA_character_ else no_variance))
    }
    quantile <- if (is.na(spread$df)) {
      normal_quantile(conf_level)
    } else {
      stats::qt((1 + conf_level) / 2, spread$df)
    }
    ends <- within_range(of_a$metric, difference + c(-1, 1) * quantile * error)
    precision_row(
      error, ends, difference / error, spread$df,
      difference_method(of_a$metric, of_a$estimator, paired)
    )
  }
}

# No difference is greater than that of the best and the worst value.
within_range <- function(metric, ends) {
  most <- switch(metric, log_loss = Inf, cohen_kappa = 2, mcc = 2, 1)
  pmin(pmax(ends, -most), most)
}

paired_spread <- function(of_a, of_b, weights) {
  list(std_error = influence_error(of_a$influence - of_b$influence, weights), df = NA_real_)
}

# Independent AUCs of two classes by Welch's t test of DeLong's variances, as pROC does.
unpaired_spread <- function(of_a, of_b, weights_of_a, weights_of_b) {
  variances <- c(
    influence_error(of_a$influence, weights_of_a), influence_error(of_b$influence, weights_of_b)
  )^2
  rows <- c(effective_rows(weights_of_a), effective_rows(weights_of_b))
  df <- sum(variances)^2 / sum(variances^2 / (rows - 1))
  # Rows worth hardly more than one leave no degree of freedom.
  list(
    std_error = sqrt(sum(variances)), df = if (is_binary_auc(of_a)) max(df, 1) else NA_real_
  )
}

is_binary_auc <- function(measure) measure$metric == "roc_auc" && measure$estimator == "binary"

difference_method <- function(metric, estimator, paired) {
  if (metric != "roc_auc") {
    return(delta_methods[["identity"]])
  }
  switch(estimator,
    binary = if (paired) "DeLong" else "DeLong (Welch)",
    micro = "Obuchowski",
    "DeLong"
  )
}

# A share of right decisions has an interval and a test of its own.
proportion_of <- function(metric, a, b, paired, conf_level, proportions) {
  rows_of_a <- proportion_rows(metric, a)
  if (is.null(rows_of_a)) {
    return(NULL)
  }
  right_of_a <- is_right(a)[rows_of_a]
  right_of_b <- is_right(b)[proportion_rows(metric, b)]
  if (paired) {
    paired_proportion(right_of_a, right_of_b, conf_level, proportions)
  } else {
    unpaired_proportion(right_of_a, right_of_b, conf_level)
  }
}

# --- by the bootstrap ----------------------------------------------------------------

bootstrap_precision <- function(a, b, paired, conf_level, replicates, seed) {
  draws <- difference_draws(a, b, paired, replicates, seed)
  function(of_a, of_b, difference) {
    key <- paste(of_a$metric, of_a$estimator, sep = ".")
    found <- bootstrap_opinion(
      of_a$metric, of_a$estimator, difference, draws[, key], conf_level
    )
    precision_row(
      found$std_error, c(found$lower, found$upper), difference / found$std_error,
      method = found$method, reason = found$reason, says = "left_out"
    )
  }
}

difference_draws <- function(a, b, paired, replicates, seed) {
  of_a <- measure_statistic(a)
  of_b <- measure_statistic(b)
  if (paired) {
    difference <- function(weights) of_a(weights) - of_b(weights)
    return(bootstrap(difference, a$true_label, weights_of(a), replicates, seed))
  }
  rows_of_a <- seq_len(nrow(a))
  difference <- function(weights) of_a(weights[rows_of_a]) - of_b(weights[-rows_of_a])
  strata <- paste(rep(c("a", "b"), c(nrow(a), nrow(b))), c(a$true_label, b$true_label))
  bootstrap(difference, strata, c(weights_of(a), weights_of(b)), replicates, seed)
}
