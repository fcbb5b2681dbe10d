# How an operating point is chosen: each rule looks along the ROC curve, greatest threshold first.

# Rates that differ by less are equal but for rounding.
rate_tolerance <- 1e-12

# A rule with its name, its target, and `choose`, which gives a point of a curve.
search_rules <- function(rules, sensitivity, specificity, cost_ratio, prevalence) {
  c(
    lapply(rules, function(rule) list(name = rule, target = NA_real_, choose = best_rules[[rule]])),
    lapply(unique(sensitivity), function(target) {
      list(
        name = paste("sensitivity >=", format_number(target)), target = target,
        choose = function(curve) which(curve$sensitivity >= target - rate_tolerance)[[1]]
      )
    }),
    lapply(unique(specificity), function(target) {
      list(
        name = paste("specificity >=", format_number(target)), target = target,
        choose = function(curve) {
          max(which(curve$observed & curve$specificity >= target - rate_tolerance))
        }
      )
    }),
    lapply(unique(cost_ratio), function(ratio) {
      list(
        name = paste("cost ratio", format_number(ratio)), target = ratio,
        choose = cheapest_point(ratio, prevalence)
      )
    })
  )
}

best_rules <- list(
  youden = function(curve) first_best(curve$sensitivity + curve$specificity),
  closest_topleft = function(curve) {
    first_best(-(1 - curve$sensitivity)^2 - (1 - curve$specificity)^2)
  }
)

# The cost of a row on average, as a share of the greatest that it could be.
cheapest_point <- function(ratio, prevalence) {
  missed <- ratio * prevalence / (ratio * prevalence + 1 - prevalence)
  function(curve) {
    first_best(-missed * (1 - curve$sensitivity) - (1 - missed) * (1 - curve$specificity))
  }
}

# Of equals the greatest threshold.
first_best <- function(gain) which(gain >= max(gain) - rate_tolerance)[[1]]

# The curve from nothing called positive to everything. In a bootstrap sample a score may not occur.
rates_of <- function(ranked, calls) {
  c(
    list(threshold = c(Inf, ranked$threshold)), roc_points(calls),
    list(observed = c(TRUE, diff(c(0, calls$true + calls$false)) > 0))
  )
}

# What every rule chooses from the table and from each bootstrap sample: its point of the table's
# curve, and the rates there, in the sample itself and in the table. NULL without both classes.
search_points <- function(predictions, searches, replicates, seed) {
  positive <- facts(predictions)$positive
  is_positive <- predictions$true_label == positive
  if (all(is_positive) || !any(is_positive)) {
    return(NULL)
  }
  ranked <- ranking(score_of(predictions, positive))
  weights <- weights_of(predictions)
  curve_at <- function(weights) rates_of(ranked, calls(ranked, is_positive, weights))
  choose <- function(curve) vapply(searches, function(search) search$choose(curve), 0L)
  curve <- curve_at(weights)
  draws <- if (length(searches) > 0) {
    bootstrap(function(times) {
      sampled <- curve_at(times)
      at <- choose(sampled)
      c(at, sampled$sensitivity[at], sampled$specificity[at])
    }, is_positive, weights, replicates, seed)
  }
  k <- length(searches)
  list(
    curve = as.data.frame(curve[c("threshold", "sensitivity", "specificity")]),
    found = Map(function(i, at) {
      chosen <- draws[, i]
      list(
        at = at, thresholds = curve$threshold[chosen],
        optimism = c(
          sensitivity = mean(draws[, k + i] - curve$sensitivity[chosen]),
          specificity = mean(draws[, 2 * k + i] - curve$specificity[chosen])
        )
      )
    }, seq_len(k), choose(curve))
  )
}

# One row per searched point. The ends of an interval are observed scores as well.
searched_points <- function(searches, searched, one_class, conf_level) {
  rows <- lapply(seq_along(searches), function(i) {
    if (is.null(searched)) {
      return(threshold_row(searches[[i]], NA_real_, reason = one_class))
    }
    found <- searched$found[[i]]
    tail <- (1 - conf_level) / 2
    ends <- stats::quantile(found$thresholds, c(tail, 1 - tail), names = FALSE, type = 1)
    varies <- length(unique(found$thresholds)) > 1
    threshold_row(
      searches[[i]], searched$curve$threshold[[found$at]],
      if (varies) ends else c(NA_real_, NA_real_),
      join_reasons(
        if (found$at == 1) "no row is called positive",
        if (found$at == nrow(searched$curve)) "every row is called positive",
        if (!varies) no_spread
      )
    )
  })
  do.call(rbind, rows)
}

stated_points <- function(thresholds) {
  do.call(rbind, lapply(thresholds, function(threshold) {
    rule <- list(name = paste("threshold", format_number(threshold)), target = threshold)
    threshold_row(rule, threshold, reason = "no interval: the threshold is stated")
  }))
}

threshold_row <- function(rule, threshold, ends = c(NA_real_, NA_real_), reason) {
  data.frame(
    rule = rule$name, target = rule$target, threshold = threshold,
    lower = ends[[1]], upper = ends[[2]],
    method = if (is.na(ends[[1]])) NA_character_ else bootstrap_method,
    reason = reason, stringsAsFactors = FALSE
  )
}
