# The counts of a confusion matrix, and every number that follows from them alone. Predictions lie
# in rows and the truth in columns.

# Sums of weights, and what precision needs, sums of squared weights and rows; without weights all
# three are the same.
counts_of <- function(predictions) {
  decision <- decision_of(predictions)
  truth <- predictions$true_label
  rows <- table(prediction = decision, truth = truth)
  if (!is_weighted(predictions)) {
    return(list(counts = rows, squares = rows, rows = rows))
  }
  weights <- weights_of(predictions)
  sums <- function(x) {
    as.table(tapply(x, list(prediction = decision, truth = truth), sum, default = 0))
  }
  list(counts = sums(weights), squares = sums(weights^2), rows = rows)
}

# Whole counts stay whole.
in_weights <- function(counts, unit) if (unit == 1) counts else counts * unit

# Where TZ is unset, loading caret asks timedatectl for the time zone, which
# prints an error on a machine without systemd.
load_caret <- function() {
  if (Sys.getenv("TZ") == "") {
    Sys.setenv(TZ = "UTC")
    on.exit(Sys.unsetenv("TZ"))
  }
  loadNamespace("caret")
}

# Of every class: how often it is true, predicted, and correct, and its ratios, each with the trials
# that it rests on. caret gives NA where a ratio is undefined.
class_values <- function(tallied) {
  counts <- as_numbers(tallied$counts)
  by_caret <- function(measure) {
    vapply(rownames(counts), function(class) as.numeric(measure(counts, relevant = class)), 0)
  }
  precision <- function(ratio, part, whole) {
    stats::setNames(share_precision(part, whole, tallied), paste0(ratio, c("_trials", "_error")))
  }
  not_true <- function(m) others(m) + false_positives(m)
  not_predicted <- function(m) others(m) + false_negatives(m)
  either <- function(m) diag(m) + false_positives(m) + false_negatives(m)
  values <- data.frame(
    class = rownames(counts),
    correct = diag(counts), true = colSums(counts), predicted = rowSums(counts),
    sensitivity = by_caret(caret::recall), precision("sensitivity", diag, colSums),
    specificity = ratio_of(others(counts), not_true(counts)),
    precision("specificity", others, not_true),
    precision = by_caret(caret::precision), precision("precision", diag, rowSums),
    npv = ratio_of(others(counts), not_predicted(counts)),
    precision("npv", others, not_predicted),
    jaccard = ratio_of(diag(counts), either(counts)), precision("jaccard", diag, either),
    stringsAsFactors = FALSE
  )
  # caret's F1 is NaN where nothing is correct; by counts it is 0.
  values$f1 <- f1_of_jaccard(values$jaccard)
  rownames(values) <- NULL
  values
}

# How many trials the share of `part` in `whole` rests on, and its standard error; both take counts.
# An interval rests on no more trials than there are rows, whatever their weights.
share_precision <- function(part, whole, tallied) {
  counts <- as_numbers(tallied$counts)
  squares <- as_numbers(tallied$squares)
  share <- ratio_of(part(counts), whole(counts))
  trials <- effective_trials(part(counts), whole(counts), part(squares), whole(squares))
  list(
    trials = pmin(trials, whole(as_numbers(tallied$rows))),
    error = sqrt(pmax(share * (1 - share), 0) / trials)
  )
}

false_positives <- function(m) rowSums(m - diag(diag(m), nrow(m)))

false_negatives <- function(m) colSums(m - diag(diag(m), nrow(m)))

# What has to do with a class neither in truth nor in prediction. A sum, so that nothing cancels.
others <- function(m) vapply(seq_len(nrow(m)), function(k) sum(m[-k, -k]), 0)

# Sums of integers overflow at 2^31.
as_numbers <- function(counts) {
  storage.mode(counts) <- "double"
  counts
}

ratio_of <- function(part, whole) ifelse(whole == 0, NA_real_, part / whole)

# F1 = 2 TP / (2 TP + FP + FN) is a monotone function of TP / (TP + FP + FN), a proportion.
f1_of_jaccard <- function(jaccard) 2 * jaccard / (1 + jaccard)

# --- influence functions: what a row of each cell adds to a number -------------

# Each takes the counts and gives a matrix of their shape, whose mean over the rows is 0.

accuracy_influence <- function(counts) diag(nrow(counts)) - sum(diag(counts)) / sum(counts)

# Of the mean over `classes` of one ratio of every class.
recall_influence <- function(counts, classes) {
  true <- colSums(counts)
  each <- lapply(classes, function(k) {
    cell <- 0 * counts
    cell[, k] <- (seq_along(true) == k) - counts[k, k] / true[[k]]
    cell * sum(counts) / true[[k]]
  })
  Reduce(`+`, each) / length(classes)
}

precision_influences <- function(counts) {
  lapply(seq_len(nrow(counts)), function(k) {
    predicted <- sum(counts[k, ])
    cell <- 0 * counts
    cell[k, ] <- (seq_len(ncol(counts)) == k) - counts[k, k] / predicted
    cell * sum(counts) / predicted
  })
}

f1_influences <- function(counts) {
  lapply(seq_len(nrow(counts)), function(k) {
    size <- sum(counts[k, ]) + sum(counts[, k])
    f1 <- 2 * counts[k, k] / size
    cell <- 0 * counts
    cell[k, ] <- cell[k, ] - f1
    cell[, k] <- cell[, k] - f1
    cell[k, k] <- cell[k, k] + 2
    cell * sum(counts) / size
  })
}

mean_influence <- function(influences) Reduce(`+`, influences) / length(influences)

# Of a mean weighted by the true counts, which are estimated too: the class of a row in the truth
# moves the weights. `values` and `influences` are those of `classes`.
weighted_influence <- function(counts, values, influences, classes) {
  true <- colSums(counts)[classes]
  mean <- sum(true * values) / sum(true)
  moved <- Reduce(`+`, Map(`*`, influences, true / sum(true)))
  for (i in seq_along(classes)) {
    column <- classes[[i]]
    moved[, column] <- moved[, column] + (values[[i]] - mean) * sum(counts) / sum(true)
  }
  moved
}

# Fleiss, Cohen and Everitt (1969)
kappa_influence <- function(counts) {
  agreement <- agreement_influences(counts)
  with(agreement, ((1 - expected) * d_observed - (1 - observed) * d_expected) / (1 - expected)^2)
}

# Gorodkin (2004), differentiated.
mcc_influence <- function(counts) {
  agreement <- agreement_influences(counts)
  n <- sum(counts)
  predicted <- rowSums(counts) / n
  true <- colSums(counts) / n
  spread_predicted <- 1 - sum(predicted^2)
  spread_true <- 1 - sum(true^2)
  d_predicted <- -2 * (predicted - sum(predicted^2))
  d_true <- -2 * (true - sum(true^2))
  root <- sqrt(spread_predicted * spread_true)
  mcc <- (agreement$observed - agreement$expected) / root
  (agreement$d_observed - agreement$d_expected) / root -
    mcc / 2 * outer(d_predicted / spread_predicted, d_true / spread_true, `+`)
}

agreement_influences <- function(counts) {
  n <- sum(counts)
  predicted <- rowSums(counts) / n
  true <- colSums(counts) / n
  observed <- sum(diag(counts)) / n
  expected <- sum(predicted * true)
  list(
    observed = observed, expected = expected,
    d_observed = diag(nrow(counts)) - observed,
    # A row of cell (i, j) adds one prediction of i and one truth of j.
    d_expected = outer(true, predicted, `+`) - 2 * expected
  )
}

# The standard error of a number from its influence in every cell.
cell_error <- function(influence, counts, squares) sqrt(sum(squares * influence^2)) / sum(counts)

# Numbers without variance are taken as uncorrelated.
influence_correlation <- function(influences, squares) {
  flat <- vapply(influences, as.vector, numeric(length(squares)))
  covariance <- crossprod(flat, as.vector(squares) * flat)
  error <- sqrt(diag(covariance))
  correlation <- covariance / outer(error, error)
  correlation[error == 0, ] <- correlation[, error == 0] <- 0
  diag(correlation) <- 1
  correlation
}

# Gorodkin (2004); NaN where truth or predictions hold one class only.
matthews <- function(values) {
  rows <- sum(values$true)
  covariance <- sum(values$correct) * rows - sum(values$predicted * values$true)
  mcc <- covariance / sqrt(rows^2 - sum(values$predicted^2)) / sqrt(rows^2 - sum(values$true^2))
  # By rounding it may be outside.
  max(min(mcc, 1), -1)
}
