# How often do the 95 % intervals contain the truth? Simulates test sets of which every true value
# is known, and counts.
#
#   R CMD INSTALL . && Rscript benchmarks/coverage.R [tables] [cores] [study ...]
#
# Writes inst/extdata/coverage.csv, which the vignette shows and results warn by, after every
# setting: an interrupted run goes on where it was, as settings of as many tables are kept. With
# studies named, theirs are made again. With the default of 2000 tables the standard error of a
# coverage of 0.95 is 0.005.
#
# Two classes: scores are normal, 1.5 standard deviations apart, the probabilities are the true
# posterior ones, and the threshold is the prevalence. Three classes: the scores are normal around
# the corners of a triangle; the shares are the prevalence and twice half of the rest. Rows are
# independent draws, so that the number of cases varies, too. The true values are integrals, or
# (three classes) those of 2e6 rows.

suppressPackageStartupMessages(library(rside))

arguments <- commandArgs(trailingOnly = TRUE)
tables <- as.integer(c(arguments, 2000)[[1]])
cores <- if (length(arguments) > 1) as.integer(arguments[[2]]) else parallel::detectCores()
out <- "inst/extdata/coverage.csv"
sizes <- c(50, 200, 1000)
prevalences <- c(0.5, 0.1, 0.02)
replicates <- 500
# Where a sample costs more.
few_replicates <- 200
shift <- 1.5
weak_shift <- 1.2

# --- two classes --------------------------------------------------------------

posterior <- function(score, prevalence, shift) {
  stats::plogis(stats::qlogis(prevalence) + shift * score - shift^2 / 2)
}

# A second, weaker model judges the same rows, its scores correlated with the first's (0.8 within
# a class); it is calibrated as well.
draw_binary <- function(n, prevalence) {
  positive <- stats::rbinom(n, 1, prevalence) == 1
  shared <- stats::rnorm(n)
  other <- 0.6 * stats::rnorm(n) + 0.8 * shared
  model <- function(noise, shift) {
    as_table(posterior(noise + shift * positive, prevalence, shift), positive, prevalence)
  }
  list(strong = model(shared, shift), weak = model(other, weak_shift))
}

as_table <- function(p, positive, prevalence) {
  as_predictions(
    data.frame(
      true_label = ifelse(positive, "pos", "neg"), pred_prob_neg = 1 - p, pred_prob_pos = p
    ),
    classes = c("neg", "pos"), positive = "pos", threshold = prevalence
  )
}

# Where the posterior is the prevalence: halfway between the means.
true_binary <- function(prevalence, shift) {
  tpr <- stats::pnorm(shift / 2)
  cells <- prevalence * c(tp = tpr, fn = 1 - tpr)
  rest <- (1 - prevalence) * c(tn = tpr, fp = 1 - tpr)
  tp <- cells[["tp"]]
  fn <- cells[["fn"]]
  tn <- rest[["tn"]]
  fp <- rest[["fp"]]
  expected <- (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
  over <- function(value) {
    integrand <- function(s) {
      p <- posterior(s, prevalence, shift)
      prevalence * stats::dnorm(s, shift) * value(p, 1) +
        (1 - prevalence) * stats::dnorm(s) * value(p, 0)
    }
    stats::integrate(integrand, -12, 14, rel.tol = 1e-10, subdivisions = 1000)$value
  }
  average_precision <- stats::integrate(function(s) {
    above <- stats::pnorm(s, shift, lower.tail = FALSE)
    called <- prevalence * above + (1 - prevalence) * stats::pnorm(s, lower.tail = FALSE)
    stats::dnorm(s, shift) * prevalence * above / called
  }, -8, 12, rel.tol = 1e-10)$value
  # The curve from specificity 0.9 upwards, and McClish's correction of its area.
  sensitivity_at <- function(specificity) {
    stats::pnorm(stats::qnorm(specificity), shift, lower.tail = FALSE)
  }
  partial <- stats::integrate(sensitivity_at, 0.9, 1, rel.tol = 1e-10)$value
  c(
    bins_of_truth(prevalence, shift), brier_uncertainty = prevalence * (1 - prevalence),
    pr_auc_trapezoid = average_precision, ppv_at_prevalence = tp / (tp + fp),
    npv_at_prevalence = tn / (tn + fn),
    accuracy = tpr, no_information_rate = max(prevalence, 1 - prevalence),
    balanced_accuracy = tpr, cohen_kappa = (tp + tn - expected) / (1 - expected),
    mcc = (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    sensitivity = tpr, specificity = tpr, precision = tp / (tp + fp), npv = tn / (tn + fn),
    f1 = 2 * tp / (2 * tp + fp + fn), roc_auc = stats::pnorm(shift / sqrt(2)),
    partial_auc = partial, partial_auc_corrected = (1 + (partial - 0.005) / (0.1 - 0.005)) / 2,
    sensitivity_at_specificity = sensitivity_at(0.9), average_precision = average_precision,
    log_loss = over(function(p, y) -log(if (y == 1) p else 1 - p)),
    brier_score = over(function(p, y) (p - y)^2),
    calibration_intercept = 0, calibration_slope = 1, youden_index = 2 * tpr - 1,
    likelihood_ratio_positive = tpr / (1 - tpr), likelihood_ratio_negative = (1 - tpr) / tpr,
    diagnostic_odds_ratio = (tpr / (1 - tpr))^2
  )
}

# The terms of the Brier score over the population's own ten quantile bins. The probabilities hold:
# within a bin, too, the covariance is twice the variance, and no error is left.
bins_of_truth <- function(prevalence, shift, bins = 10) {
  below <- function(s) {
    prevalence * stats::pnorm(s, shift) + (1 - prevalence) * stats::pnorm(s)
  }
  edges <- vapply(seq_len(bins - 1) / bins, function(share) {
    stats::uniroot(function(s) below(s) - share, c(-12, 14), tol = 1e-12)$root
  }, 0)
  edges <- c(-12, edges, 14)
  moment <- function(from, to, power) {
    stats::integrate(function(s) {
      density <- prevalence * stats::dnorm(s, shift) + (1 - prevalence) * stats::dnorm(s)
      density * posterior(s, prevalence, shift)^power
    }, from, to, rel.tol = 1e-10)$value
  }
  each <- function(power) mapply(moment, edges[-(bins + 1)], edges[-1], power)
  mean <- each(1) * bins
  resolution <- mean((mean - prevalence)^2)
  variance <- sum(each(2)) - mean(mean^2)
  c(
    brier_reliability = 0, brier_resolution = resolution, brier_within_bin_variance = variance,
    brier_within_bin_covariance = 2 * variance,
    brier_generalized_resolution = resolution + variance,
    expected_calibration_error = 0, maximum_calibration_error = 0
  )
}

# --- three classes ------------------------------------------------------------

corners <- 1.2 * rbind(c(1, 0), c(-1, 1) * sqrt(c(1, 3)) / 2, c(-1, -1) * sqrt(c(1, 3)) / 2)
class_names <- c("rare", "second", "third")

draw_three <- function(n, prevalence) {
  shares <- c(prevalence, (1 - prevalence) / 2, (1 - prevalence) / 2)
  truth <- sample.int(3, n, replace = TRUE, prob = shares)
  at <- corners[truth, , drop = FALSE] + matrix(stats::rnorm(2 * n), n)
  density <- vapply(1:3, function(k) {
    shares[[k]] * stats::dnorm(at[, 1], corners[k, 1]) * stats::dnorm(at[, 2], corners[k, 2])
  }, numeric(n))
  table <- data.frame(class_names[truth], matrix(density / rowSums(density), n))
  names(table) <- c("true_label", paste0("pred_prob_", class_names))
  as_predictions(table, classes = class_names)
}

# --- what is measured ----------------------------------------------------------

# `route` tells the ways to one interval apart where a number has several.
from <- function(rows, route) {
  rows$route <- rep(route, nrow(rows))
  # A mean that leaves out a class estimates something else.
  if (!is.null(rows$reason)) rows$lower[grepl("left out", rows$reason)] <- NA
  rows[c("metric", "estimator", "route", "lower", "upper", "method")]
}

auc_by <- function(table, route) {
  auc <- auc_ci(table, interval = route, replicates = replicates)
  from(data.frame(
    metric = "roc_auc", estimator = "binary", lower = auc$lower, upper = auc$upper,
    method = auc$method
  ), route)
}

# Each takes both models and the prevalence. Those of `curves` need both classes in the truth.
reports <- list(
  report = function(models, prevalence) from(validate(models$strong)$metrics, "report"),
  wilson = function(models, prevalence) {
    rows <- confusion(models$strong, interval = "wilson")$overall
    from(rows[rows$method %in% "Wilson", ], "wilson")
  },
  at_prevalence = function(models, prevalence) {
    from(confusion(models$strong, prevalence = prevalence)$overall, "at_prevalence")
  },
  # Weights that have nothing to do with the rows leave every true value as it is.
  weighted = function(models, prevalence) {
    models$strong$weight <- stats::rexp(nrow(models$strong))
    from(validate(models$strong)$metrics, "weighted")
  }
)
curves <- list(
  auc = function(models, prevalence) {
    do.call(rbind, lapply(c("logit", "newcombe", "bootstrap"), auc_by, table = models$strong))
  },
  precision_recall = function(models, prevalence) {
    pr <- pr_curve(models$strong, interval = "bootstrap", replicates = replicates)
    from(pr$values, "bootstrap")
  },
  calibration = function(models, prevalence) {
    from(calibration(models$strong, replicates = few_replicates)$values, "calibration")
  },
  points = function(models, prevalence) {
    points <- operating_points(
      models$strong, rules = character(), threshold = prevalence, replicates = 2
    )
    from(points$values, "point")
  },
  thresholds = function(models, prevalence) {
    points <- operating_points(
      models$strong, sensitivity = 0.9, specificity = 0.9, replicates = few_replicates
    )$points
    points <- points[!startsWith(points$rule, "threshold"), ]
    from(data.frame(metric = "threshold", estimator = points$rule, points), "bootstrap")
  },
  comparison = function(models, prevalence) {
    rows <- compare_models(models$strong, models$weak)$differences
    rows$estimator <- rep("difference", nrow(rows))
    from(rows, "paired")
  },
  unpaired = function(models, prevalence) {
    other <- draw_binary(nrow(models$weak), prevalence)$weak
    if (length(unique(other$true_label)) < 2) {
      return(NULL)
    }
    rows <- compare_models(models$strong, other, paired = FALSE)$differences
    rows$estimator <- rep("unpaired difference", nrow(rows))
    from(rows, "unpaired")
  },
  parts = function(models, prevalence) {
    band <- roc_band(models$strong, at = 0.9, replicates = replicates)$values
    band$metric <- "sensitivity_at_specificity"
    partial <- partial_auc(models$strong, c(0.9, 1), replicates = replicates)$values
    rbind(from(band, "bootstrap"), from(partial, "bootstrap"))
  }
)
three <- list(
  three_classes_bootstrap = function(table, prevalence) {
    values <- multiclass_auc(
      table, interval = "bootstrap", replicates = few_replicates
    )$values
    from(values[is.na(values$class), ], "bootstrap")
  },
  three_classes_weighted = function(table, prevalence) {
    table$weight <- stats::rexp(nrow(table))
    values <- validate(table)$metrics
    from(values[is.na(values$class), ], "weighted")
  },
  three_classes = function(table, prevalence) {
    values <- validate(table)$metrics
    from(values[is.na(values$class), ], "report")
  }
)

# Only what a study is about: the calibration's Brier score is the report's.
about <- list(
  calibration = c(
    "calibration_intercept", "calibration_slope", "brier_reliability", "brier_resolution",
    "brier_uncertainty", "brier_within_bin_variance", "brier_within_bin_covariance",
    "brier_generalized_resolution", "expected_calibration_error", "maximum_calibration_error"
  ),
  at_prevalence = c("ppv_at_prevalence", "npv_at_prevalence"),
  points = c(
    "youden_index", "likelihood_ratio_positive", "likelihood_ratio_negative",
    "diagnostic_odds_ratio"
  )
)

# --- counting -------------------------------------------------------------------

key <- function(rows) paste(rows$metric, rows$estimator)

# One row per number and route. `undefined` is the share of tables without an interval; coverage and
# width are of the others.
coverage <- function(study, measure, draw, truth, n, prevalence) {
  found <- parallel::mclapply(seq_len(tables), function(i) {
    set.seed(1e6 * match(n, sizes) + 1e5 * match(prevalence, prevalences) + i)
    drawn <- draw(n, prevalence)
    if (study %in% names(curves) && length(unique(drawn$strong$true_label)) < 2) {
      return(NULL)
    }
    rows <- measure(drawn, prevalence)
    if (is.null(rows)) {
      return(NULL)
    }
    rows <- rows[key(rows) %in% names(truth), ]
    if (is.null(about[[study]])) rows else rows[rows$metric %in% about[[study]], ]
  }, mc.cores = cores)
  failed <- vapply(found, inherits, NA, "try-error")
  if (any(failed)) stop(found[failed][[1]])
  rows <- do.call(rbind, found)
  rows$covered <- rows$lower <= truth[key(rows)] & truth[key(rows)] <= rows$upper
  rows$width <- rows$upper - rows$lower
  groups <- split(rows, paste(key(rows), rows$route), drop = TRUE)
  of_group <- function(group) {
    defined <- !is.na(group$lower)
    methods <- sort(table(group$method[defined]), decreasing = TRUE)
    data.frame(
      study = study, metric = group$metric[[1]], estimator = group$estimator[[1]],
      method = paste(names(methods), collapse = " or "), n = n, prevalence = prevalence,
      tables = tables, undefined = round(1 - sum(defined) / tables, 4),
      coverage = round(mean(group$covered[defined]), 4),
      mean_width = signif(mean(group$width[defined]), 4)
    )
  }
  result <- do.call(rbind, lapply(groups, of_group))
  result[match(unique(paste(key(rows), rows$route)), rownames(result)), ]
}

# The best threshold is halfway between the means, by both rules.
true_thresholds <- function(prevalence) {
  at <- c(
    "threshold youden" = shift / 2, "threshold closest_topleft" = shift / 2,
    "threshold sensitivity >= 0.9" = shift + stats::qnorm(0.1),
    "threshold specificity >= 0.9" = stats::qnorm(0.9)
  )
  posterior(at, prevalence, shift)
}

truth_binary <- function(prevalence) {
  truth <- true_binary(prevalence, shift)
  difference <- truth - true_binary(prevalence, weak_shift)
  c(
    true_thresholds(prevalence), stats::setNames(truth, paste(names(truth), "binary")),
    stats::setNames(difference, paste(names(difference), "difference")),
    stats::setNames(difference, paste(names(difference), "unpaired difference"))
  )
}

known_three <- list()

truth_three <- function(prevalence) {
  name <- format(prevalence)
  if (is.null(known_three[[name]])) {
    set.seed(1)
    large <- validate(draw_three(2e6, prevalence))$metrics
    large <- large[is.na(large$class), ]
    known_three[[name]] <<- stats::setNames(large$estimate, key(large))
  }
  known_three[[name]]
}

studies <- c(reports, three, curves)
again <- arguments[-(1:2)]
stopifnot(again %in% names(studies))
settings <- expand.grid(
  n = sizes, prevalence = prevalences, study = names(studies), stringsAsFactors = FALSE
)
none <- data.frame(study = character(), n = numeric(), prevalence = numeric(), tables = numeric())
results <- if (file.exists(out)) utils::read.csv(out) else none
results <- results[!results$study %in% again & results$tables >= tables, ]

write_results <- function(results) {
  order <- order(
    match(results$study, names(studies)), match(results$prevalence, prevalences), results$n
  )
  temporary <- paste0(out, ".tmp")
  utils::write.csv(results[order, ], temporary, row.names = FALSE)
  invisible(file.rename(temporary, out))
}

for (i in seq_len(nrow(settings))) {
  setting <- settings[i, ]
  study <- setting$study
  if (nrow(merge(setting, results)) > 0) next
  is_three <- study %in% names(three)
  started <- proc.time()[["elapsed"]]
  found <- coverage(
    study, studies[[study]], if (is_three) draw_three else draw_binary,
    if (is_three) truth_three(setting$prevalence) else truth_binary(setting$prevalence),
    setting$n, setting$prevalence
  )
  results <- if (nrow(results) == 0) found else rbind(results, found)
  write_results(results)
  message(sprintf(
    "%s, prevalence %g, n = %g: %.0f s", study, setting$prevalence, setting$n,
    proc.time()[["elapsed"]] - started
  ))
}
options(width = 140)
print(results)
