#' Area under the ROC curve of several classes
#'
#' The mean over the pairs of classes by Hand and Till, the mean over
#' one-vs-rest, plain and weighted by prevalence, the micro average, which
#' pools the classes, and the AUC of every class against the rest. Each has an
#' interval.
#'
#' A class that does not occur in the truth has no AUC: it is left out of the
#' means, and `reason` names it. With two classes the means are the AUC, as far
#' as the probabilities of a row sum to exactly 1.
#'
#' The interval of a mean over pairs or classes is DeLong's for a linear
#' function of AUCs that share rows, on the logit scale; that of the micro
#' average takes the scores of one row as a cluster (Obuchowski).
#'
#' @inheritParams confusion
#' @param interval `"delong"`, or `"bootstrap"`: percentiles of samples
#'   stratified by class.
#' @inheritParams auc_ci
#' @return An object of class `rside_multiclass_auc`: a list with `values`, a
#'   data frame of `metric`, `estimator` (`hand_till`, `macro`,
#'   `macro_weighted`, `micro`, `one_vs_rest`), `class`, `estimate`,
#'   `std_error`, `lower`, `upper`, `method`, `reason`; `counts`, the rows of
#'   each class in the truth; `conf_level`; `replicates` and `seed` of the
#'   bootstrap, if there was one; and `warning`: how often such intervals failed
#'   in simulated tables with as few rows of a class, empty where they did not.
#'   `as.data.frame()` gives `values`.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' Hand and Till (2001) \doi{10.1023/A:1010920819831}; DeLong et al. (1988)
#' \doi{10.2307/2531595}; Obuchowski (1997) \doi{10.2307/2533958}.
#' @seealso [roc_curve()] for two classes.
#' @examples
#' table <- data.frame(
#'   true_label = c("bird", "cat", "dog", "bird", "cat", "dog"),
#'   pred_prob_bird = c(0.5, 0.25, 0.25, 0.5, 0.5, 0.125),
#'   pred_prob_cat = c(0.25, 0.5, 0.5, 0.25, 0.25, 0.125),
#'   pred_prob_dog = c(0.25, 0.25, 0.25, 0.25, 0.25, 0.75)
#' )
#' multiclass_auc(table)
#' @export
multiclass_auc <- function(predictions, conf_level = 0.95, interval = c("delong", "bootstrap"),
                           replicates = 2000, seed = 1) {
  check_conf_level(conf_level)
  interval <- one_of(interval, c("delong", "bootstrap"), "interval")
  check_bootstrap(replicates, seed)
  predictions <- predictions_of(predictions)
  result <- multiclass_auc_of(predictions, conf_level)
  if (interval == "bootstrap") {
    result$values <- bootstrap_aucs(predictions, result$values, conf_level, replicates, seed)
  }
  drawn <- interval == "bootstrap"
  result[c("replicates", "seed")] <- list(if (drawn) replicates, if (drawn) seed)
  weighted <- is_weighted(predictions)
  result$warning <- c(
    low_coverage(
      result$counts, result$values, paste(result$values$metric, result$values$estimator), weighted
    ),
    low_class_coverage(result$counts, result$values, weighted)
  )
  result
}

multiclass_auc_of <- function(predictions, conf_level) {
  classes <- facts(predictions)$classes
  truth <- predictions$true_label
  probabilities <- probabilities_of(predictions)
  weights <- weights_of(predictions)
  counts <- stats::setNames(tabulate(truth, length(classes)), classes)
  each <- do.call(rbind, lapply(classes, function(class) {
    one_vs_rest_auc(probabilities[, class], truth, weights, class, conf_level)
  }))
  structure(
    list(
      values = rbind(mean_aucs(probabilities, truth, weights, counts, conf_level), each),
      counts = counts, conf_level = conf_level
    ),
    class = c("rside_multiclass_auc", "rside_result")
  )
}

one_vs_rest_auc <- function(score, truth, weights, class, conf_level) {
  fit <- fit_roc(
    score, truth == class, weights, conf_level,
    absent = c(only_in_truth(class), lacks(class, not_in_truth)),
    groups = paste0(c("classes other than '", "class '"), class, "'")
  )
  fitted_auc(fit, "one_vs_rest", class)
}

mean_aucs <- function(probabilities, truth, weights, counts, conf_level) {
  present <- names(counts)[counts > 0]
  if (length(present) == 1) {
    return(opinion("roc_auc", auc_means, rep(NA_real_, 4), reason = only_in_truth(present)))
  }
  left <- left_out(setdiff(names(counts), present), not_in_truth)
  few <- present[counts[present] < 2]
  means <- list(
    hand_till = hand_till(probabilities, truth, weights, present),
    macro = macro_auc(probabilities, truth, weights, present),
    macro_weighted = macro_weighted_auc(probabilities, truth, weights, present),
    micro = micro_auc(probabilities, truth, weights, present)
  )
  rows <- lapply(auc_means, function(estimator) {
    mean <- means[[estimator]]
    method <- if (estimator == "micro") "Obuchowski (logit)" else auc_intervals[["logit"]]
    if (length(few) > 0) {
      no_interval <- paste0("no interval: ", too_few(list_names("class", few)))
      return(opinion(
        "roc_auc", estimator, mean$estimate, reason = join_reasons(left, no_interval)
      ))
    }
    error <- influence_error(mean$influence, weights)
    delta_opinion(
      "roc_auc", estimator, mean$estimate, error, "logit", conf_level,
      reason = left, method = method
    )
  })
  do.call(rbind, rows)
}

auc_means <- c("hand_till", "macro", "macro_weighted", "micro")

# Hand and Till (2001): the mean of A(i | j) over ordered pairs of classes, by the score of i.
hand_till <- function(probabilities, truth, weights, present) {
  influence <- numeric(length(truth))
  total <- 0
  pairs <- ordered_pairs(present)
  for (pair in pairs) {
    rows <- which(truth %in% pair)
    one <- auc_influence(probabilities[rows, pair[[1]]], truth[rows] == pair[[1]], weights[rows])
    total <- total + one$estimate
    influence[rows] <- influence[rows] + one$influence * sum(weights) / sum(weights[rows])
  }
  list(estimate = total / length(pairs), influence = influence / length(pairs))
}

ordered_pairs <- function(classes) {
  pairs <- utils::combn(classes, 2, simplify = FALSE)
  c(pairs, lapply(pairs, rev))
}

macro_auc <- function(probabilities, truth, weights, present) {
  each <- lapply(present, function(class) {
    auc_influence(probabilities[, class], truth == class, weights)
  })
  list(
    estimate = mean(vapply(each, `[[`, 0, "estimate")),
    influence = Reduce(`+`, lapply(each, `[[`, "influence")) / length(each)
  )
}

# Weighted by prevalence, which is estimated too: the class of a row moves the weights.
macro_weighted_auc <- function(probabilities, truth, weights, present) {
  estimate <- 0
  influence <- of_class <- numeric(length(truth))
  for (class in present) {
    one <- auc_influence(probabilities[, class], truth == class, weights)
    prevalence <- sum(weights[truth == class]) / sum(weights)
    estimate <- estimate + prevalence * one$estimate
    influence <- influence + prevalence * one$influence
    of_class[truth == class] <- one$estimate
  }
  # By rounding it may be outside.
  list(estimate = min(estimate, 1), influence = influence + of_class - estimate)
}

# Every score of every row, against whether its class is the true one. The scores of a row depend on
# each other: Obuchowski (1997).
micro_auc <- function(probabilities, truth, weights, present) {
  scores <- as.vector(probabilities[, present])
  is_true <- as.vector(outer(as.character(truth), present, `==`))
  n <- length(truth)
  one <- auc_influence(scores, is_true, rep(weights, length(present)), sizes = c(n, n))
  list(estimate = one$estimate, influence = rowMeans(matrix(one$influence, n)))
}

# --- bootstrap ---------------------------------------------------------------

bootstrap_aucs <- function(predictions, values, conf_level, replicates, seed) {
  truth <- predictions$true_label
  present <- intersect(levels(truth), truth)
  if (length(present) == 1) {
    return(values)
  }
  statistic <- auc_statistic(probabilities_of(predictions), truth, present)
  draws <- bootstrap(statistic, truth, weights_of(predictions), replicates, seed)
  key <- function(estimator, class) ifelse(is.na(class), estimator, paste0("class ", class))
  rows <- lapply(seq_len(nrow(values)), function(i) {
    value <- values[i, ]
    if (is.na(value$estimate)) {
      return(value)
    }
    left <- if (grepl("^left out", value$reason)) sub("; no interval.*", "", value$reason) else NA
    bootstrap_opinion(
      value$metric, value$estimator, value$estimate, draws[, key(value$estimator, value$class)],
      conf_level, value$class, left
    )
  })
  do.call(rbind, rows)
}

# Everything is ranked once; a sample only changes the weights.
auc_statistic <- function(probabilities, truth, present) {
  prepare <- function(rows, score, is_positive) {
    ranked <- ranking(score)
    function(weights) auc_of_calls(calls(ranked, is_positive, weights[rows]))
  }
  all <- seq_along(truth)
  of_pairs <- lapply(ordered_pairs(present), function(pair) {
    rows <- which(truth %in% pair)
    prepare(rows, probabilities[rows, pair[[1]]], truth[rows] == pair[[1]])
  })
  of_classes <- lapply(present, function(class) {
    prepare(all, probabilities[, class], truth == class)
  })
  pooled <- prepare(
    rep(all, length(present)), as.vector(probabilities[, present]),
    as.vector(outer(as.character(truth), present, `==`))
  )
  function(weights) {
    at <- function(prepared) vapply(prepared, function(auc) auc(weights), 0)
    each <- at(of_classes)
    prevalence <- vapply(present, function(class) sum(weights[truth == class]), 0)
    c(
      hand_till = mean(at(of_pairs)), macro = mean(each),
      macro_weighted = weighted_mean(each, prevalence), micro = pooled(weights),
      stats::setNames(each, paste0("class ", present))
    )
  }
}

#' @export
as.data.frame.rside_multiclass_auc <- function(x, ...) x$values

#' @export
format.rside_multiclass_auc <- function(x, ...) {
  c(
    paste0("<AUC of ", length(x$counts), " classes: ", format_count(sum(x$counts)), " rows>"),
    paste0("metric (estimator), ", format_percent(x$conf_level), " interval"),
    format_opinions(x$values),
    format_warning(x$warning)
  )
}
