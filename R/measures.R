# The headline numbers of a table, each with what every row adds to it: what a comparison of two
# models, and of groups, rests on. The numbers are those of validate().

# One function per number, named "metric.estimator"; each gives `metric`, `estimator`, `estimate`,
# `influence` (one per row), `reason`, and `left_out`, the reason but for what it says of the
# interval. Between calls nothing of the size of the table is kept.
measures_of <- function(predictions) {
  c(count_measures(predictions), auc_measures(predictions), probability_measures(predictions))
}

measure <- function(metric, estimator, estimate, influence, reason = NA_character_,
                    left_out = reason) {
  list(
    metric = metric, estimator = estimator, estimate = plain_na(estimate),
    influence = if (is.na(estimate)) NA_real_ * influence else influence, reason = reason,
    left_out = left_out
  )
}

# Never NaN.
plain_na <- function(x) if (is.na(x)) NA_real_ else x

by_key <- function(measures, metric, estimator) {
  stats::setNames(measures, paste(metric, estimator, sep = "."))
}

task_of <- function(known) if (is.null(known$positive)) "multiclass" else "binary"

# --- numbers that follow from the counts ---------------------------------------

count_measures <- function(predictions) {
  known <- facts(predictions)
  counts <- as_numbers(counts_of(predictions)$counts)
  lapply(count_forms(known), function(form) {
    function() {
      cells <- cbind(as.integer(decision_of(predictions)), as.integer(predictions$true_label))
      measure(
        form$metric, form$estimator, form$estimate(counts), form$influence(counts)[cells],
        form$reason(counts)
      )
    }
  })
}

# Every form is a function of the counts: the number, what a row of each cell adds to it, and why it
# is undefined or what it leaves out.
count_forms <- function(known) {
  classes <- known$classes
  task <- task_of(known)
  of_task <- if (task == "multiclass") {
    list(form(
      "f1", "macro", function(counts) mean(f1s(counts), na.rm = TRUE),
      function(counts) mean_influence(f1_influences(counts)[!is.na(f1s(counts))]),
      function(counts) left_out(classes[is.na(f1s(counts))], in_neither)
    ))
  } else {
    positive_forms(match(known$positive, classes), classes)
  }
  forms <- c(
    list(
      form("accuracy", task, function(counts) sum(diag(counts)) / sum(counts), accuracy_influence),
      form(
        "balanced_accuracy", task, function(counts) mean(recalls(counts), na.rm = TRUE),
        function(counts) recall_influence(counts, which(colSums(counts) > 0)),
        function(counts) left_out(classes[colSums(counts) == 0], not_in_truth)
      ),
      form("cohen_kappa", task, kappa_of, kappa_influence, one_class_only(classes, kappa_of)),
      form("mcc", task, mcc_of, mcc_influence, one_class_only(classes, mcc_of))
    ),
    of_task
  )
  by_key(
    forms, vapply(forms, `[[`, "", "metric"), vapply(forms, `[[`, "", "estimator")
  )
}

form <- function(metric, estimator, estimate, influence, reason = function(counts) NA_character_) {
  list(
    metric = metric, estimator = estimator, estimate = estimate, influence = influence,
    reason = reason
  )
}

positive_forms <- function(positive, classes) {
  negative <- 3 - positive
  ratio <- function(metric, estimate, influence, class, absence) {
    form(
      metric, "binary", function(counts) estimate(counts)[[class]],
      function(counts) influence(counts, class),
      function(counts) if_undefined(estimate(counts)[[class]], lacks(classes[[class]], absence))
    )
  }
  precision_influence <- function(counts, class) precision_influences(counts)[[class]]
  f1_influence <- function(counts, class) f1_influences(counts)[[class]]
  list(
    ratio("sensitivity", recalls, recall_influence, positive, not_in_truth),
    ratio("specificity", recalls, recall_influence, negative, not_in_truth),
    ratio("precision", precisions, precision_influence, positive, not_predicted),
    ratio("npv", precisions, precision_influence, negative, not_predicted),
    ratio("f1", f1s, f1_influence, positive, in_neither)
  )
}

# Of every class.
recalls <- function(counts) ratio_of(diag(counts), colSums(counts))

precisions <- function(counts) ratio_of(diag(counts), rowSums(counts))

f1s <- function(counts) ratio_of(2 * diag(counts), rowSums(counts) + colSums(counts))

kappa_of <- function(counts) {
  agreement <- agreement_influences(counts)
  ratio_of(agreement$observed - agreement$expected, 1 - agreement$expected)
}

mcc_of <- function(counts) {
  matthews(list(correct = diag(counts), true = colSums(counts), predicted = rowSums(counts)))
}

one_class_only <- function(classes, estimate) {
  function(counts) {
    true <- classes[colSums(counts) > 0]
    predicted <- classes[rowSums(counts) > 0]
    if_undefined(
      estimate(counts),
      if (length(true) == 1) only_in_truth(true) else only_predicted(predicted[[1]])
    )
  }
}

# --- numbers that follow from the order of the scores ---------------------------

auc_measures <- function(predictions) {
  if (task_of(facts(predictions)) == "multiclass") {
    return(mean_auc_measures(predictions))
  }
  list(
    roc_auc.binary = function() binary_auc_measure(predictions),
    average_precision.binary = function() average_precision_measure(predictions)
  )
}

binary_auc_measure <- function(predictions) {
  of <- two_classes(predictions)
  counts <- c(sum(!of$is_positive), sum(of$is_positive))
  absent <- only_in_truth(rev(of$groups))[counts == 0]
  if (length(absent) > 0) {
    return(undefined_measure("roc_auc", "binary", predictions, absent))
  }
  found <- auc_influence(of$score, of$is_positive, weights_of(predictions))
  with_enough(found, "roc_auc", "binary", of$groups[counts < 2], NA_character_)
}

average_precision_measure <- function(predictions) {
  of <- two_classes(predictions)
  if (!any(of$is_positive)) {
    reason <- only_in_truth(of$groups[[1]])
    return(undefined_measure("average_precision", "binary", predictions, reason))
  }
  found <- average_precision(of$score, of$is_positive, weights_of(predictions))
  measure("average_precision", "binary", found$estimate, found$influence)
}

mean_auc_measures <- function(predictions) {
  means <- list(
    hand_till = hand_till, macro = macro_auc, macro_weighted = macro_weighted_auc,
    micro = micro_auc
  )
  measures <- lapply(auc_means, function(estimator) {
    function() mean_auc_measure(predictions, estimator, means[[estimator]])
  })
  by_key(measures, "roc_auc", auc_means)
}

mean_auc_measure <- function(predictions, estimator, mean) {
  truth <- predictions$true_label
  counts <- tabulate(truth, nlevels(truth))
  present <- levels(truth)[counts > 0]
  if (length(present) == 1) {
    return(undefined_measure("roc_auc", estimator, predictions, only_in_truth(present)))
  }
  found <- mean(probabilities_of(predictions), truth, weights_of(predictions), present)
  left <- left_out(setdiff(levels(truth), present), not_in_truth)
  with_enough(found, "roc_auc", estimator, levels(truth)[counts == 1], left)
}

# A single row of a class has no variance.
with_enough <- function(found, metric, estimator, single, left_out) {
  no_interval <- NA_character_
  if (length(single) > 0) {
    found$influence[] <- NA_real_
    no_interval <- paste0("no interval: ", too_few(list_names("class", single)))
  }
  measure(
    metric, estimator, found$estimate, found$influence, join_reasons(left_out, no_interval),
    left_out
  )
}

undefined_measure <- function(metric, estimator, predictions, reason) {
  measure(metric, estimator, NA_real_, rep(NA_real_, nrow(predictions)), reason)
}

# --- means of what each row loses ------------------------------------------------

probability_measures <- function(predictions) {
  task <- task_of(facts(predictions))
  mean_of <- function(metric) {
    function() {
      losses <- row_losses(predictions)[[metric]]()
      mean <- weighted_mean(losses, weights_of(predictions))
      measure(metric, task, mean, losses - mean)
    }
  }
  losses <- c("log_loss", "brier_score")
  by_key(lapply(losses, mean_of), losses, task)
}

row_losses <- function(predictions) {
  truth <- as.integer(predictions$true_label)
  list(
    log_loss = function() row_log_loss(probabilities_of(predictions), truth),
    brier_score = function() {
      row_brier(probabilities_of(predictions), truth, facts(predictions)$positive)
    }
  )
}

# --- the same numbers as a function of the weights --------------------------------

# What a bootstrap repeats: decisions are counted, scores ranked and losses computed once. A weight
# may be 0.
measure_statistic <- function(predictions) {
  count <- count_statistic(predictions)
  auc <- auc_statistics(predictions)
  losses <- lapply(row_losses(predictions), function(loss) loss())
  names(losses) <- paste(names(losses), task_of(facts(predictions)), sep = ".")
  function(weights) {
    c(count(weights), auc(weights), vapply(losses, weighted_mean, 0, weights = weights))
  }
}

count_statistic <- function(predictions) {
  known <- facts(predictions)
  k <- length(known$classes)
  cell <- as.integer(decision_of(predictions)) + k * (as.integer(predictions$true_label) - 1L)
  forms <- count_forms(known)
  filled <- sort(unique(cell))
  function(weights) {
    counts <- matrix(0, k, k)
    counts[filled] <- rowsum(weights, cell)
    vapply(forms, function(form) form$estimate(counts), 0)
  }
}

auc_statistics <- function(predictions) {
  truth <- predictions$true_label
  present <- intersect(levels(truth), truth)
  if (task_of(facts(predictions)) == "multiclass") {
    if (length(present) == 1) {
      return(function(weights) numeric())
    }
    aucs <- auc_statistic(probabilities_of(predictions), truth, present)
    return(function(weights) {
      stats::setNames(aucs(weights)[auc_means], paste0("roc_auc.", auc_means))
    })
  }
  of <- two_classes(predictions)
  ranked <- ranking(of$score)
  function(weights) {
    calls <- calls(ranked, of$is_positive, weights)
    c(
      roc_auc.binary = auc_of_calls(calls),
      average_precision.binary = average_precision_of_calls(calls)
    )
  }
}
