# The table of traps of the project's design, row by row: what another tool does with the input, and
# what rside does with it. Details are tested where the functions are.

# A trap of another tool may warn: this says what it gives all the same.
as_given <- function(expr) suppressWarnings(expr)

table_of <- function(truth, ..., classes = c("neg", "pos")) {
  table <- data.frame(true_label = truth, ..., stringsAsFactors = FALSE)
  names(table)[-1] <- paste0("pred_prob_", classes)
  table
}

three_classes <- function() {
  a <- c(0.6, 0.5, 0.7, 0.2, 0.2, 0.3, 0.3, 0.1, 0.1, 0.2, 0.4, 0.3)
  b <- c(0.2, 0.3, 0.2, 0.5, 0.5, 0.4, 0.3, 0.6, 0.3, 0.2, 0.2, 0.4)
  table_of(rep(letters[1:3], each = 4), a, b, 1 - a - b, classes = letters[1:3])
}

matrix_of_table <- function(table) {
  scores <- as.matrix(table[-1])
  colnames(scores) <- sub("pred_prob_", "", colnames(scores))
  scores
}

all_calls <- function(x) {
  if (is.call(x)) c(list(x), unlist(lapply(as.list(x), all_calls), recursive = FALSE))
}

# --- Metrics ------------------------------------------------------------------

test_that("direction: pROC turns a classifier that is worse than chance round", {
  table <- binary(rep(c("neg", "pos"), c(3, 3)), c(0.9, 0.8, 0.4, 0.5, 0.2, 0.1))
  theirs <- pROC::roc(
    response = table$true_label, predictor = table$pred_prob_pos, levels = c("neg", "pos"),
    quiet = TRUE
  )
  expect_equal(as.numeric(theirs$auc), 8 / 9)
  report <- validate(table)
  expect_equal(value(report, "roc_auc"), 1 / 9)
  note <- report$notes$text[report$notes$code == "auto_direction"]
  expect_match(note, "would have reported an AUC of 0.8889", fixed = TRUE)
})

test_that("positive class: caret takes the first level, pROC the second, rside the one stated", {
  truth <- factor(c("cat", "cat", "dog", "dog"))
  decision <- factor(c("cat", "cat", "cat", "dog"))
  expect_identical(caret::confusionMatrix(decision, truth)$positive, "cat")
  roc <- pROC::roc(response = truth, predictor = c(0.1, 0.2, 0.3, 0.4), quiet = TRUE)
  expect_identical(roc$levels[[2]], "dog")
  table <- table_of(
    as.character(truth), c(0.9, 0.8, 0.7, 0.1), c(0.1, 0.2, 0.3, 0.9), classes = c("cat", "dog")
  )
  for (positive in c("cat", "dog")) {
    report <- validate(table, positive = positive)
    expect_equal(value(report, "sensitivity"), c(cat = 1, dog = 0.5)[[positive]])
    expect_equal(value(report, "specificity"), c(cat = 0.5, dog = 1)[[positive]])
    expect_identical(roc_curve(table, positive = positive)$positive, positive)
    expect_match(format(report), paste0("positive class: '", positive, "'"), all = FALSE)
  }
})

# In Python: tests/test_predictions.py, test_class_order_is_data_not_a_sort.
test_that("class order: R sorts by locale, rside not at all", {
  classes <- c("bird", "10", "_x", "Cat", "9", "dog")
  expect_false(identical(levels(factor(classes)), classes))
  table <- decided(classes, classes, classes)
  expect_identical(levels(table$true_label), classes)
  expect_identical(rownames(confusion(table)$table), classes)
  of_class <- multiclass_auc(table)$values$class
  expect_identical(of_class[!is.na(of_class)], classes)
})

test_that("multiclass.roc(): direction, and names that do not fit, change the number", {
  table <- three_classes()
  auc <- function(scores, ...) {
    roc <- pROC::multiclass.roc(response = table$true_label, predictor = scores, ...)
    as.numeric(roc$auc)
  }
  scores <- matrix_of_table(table)
  ours <- multiclass_auc(table)$values
  expect_equal(ours$estimate[ours$estimator == "hand_till"], auc(scores))
  expect_gt(auc(scores), 0.5)
  expect_equal(auc(scores, direction = "<"), 1 - auc(scores))
  colnames(scores)[3] <- "C"
  said <- capture_warnings(other <- auc(scores))
  expect_match(said, "did not provide decision values", all = FALSE)
  expect_false(isTRUE(all.equal(other, auc(matrix_of_table(table)))))
  names(table)[4] <- "pred_prob_C"
  expect_error(multiclass_auc(table), class = "rside_error_unknown_class")
})

test_that("auc() of three classes: pROC takes the first two levels, rside refuses", {
  table <- three_classes()
  expect_warning(
    theirs <- pROC::auc(response = table$true_label, predictor = table$pred_prob_b, quiet = TRUE),
    "more than two levels"
  )
  expect_false(is.na(theirs))
  expect_error(auc_ci(table), class = "rside_error_argument")
  expect_error(roc_curve(table), class = "rside_error_argument")
})

# In Python: tests/test_predictions.py, test_missing_rows_are_dropped_and_counted_when_asked.
test_that("missing values: caret and pROC drop them silently, rside refuses or counts them", {
  levels <- c("neg", "pos")
  truth <- c("neg", "pos", "neg", "pos", "pos")
  score <- c(0.1, 0.9, 0.2, 0.4, NA)
  decision <- factor(ifelse(score >= 0.5, "pos", "neg"), levels)
  theirs <- caret::confusionMatrix(decision, factor(truth, levels))
  expect_identical(sum(theirs$table), 4L)
  expect_identical(theirs$overall[["Accuracy"]], 0.75)
  roc <- pROC::roc(response = truth, predictor = score, levels = levels, quiet = TRUE)
  expect_identical(length(roc$controls) + length(roc$cases), 4L)
  table <- binary(truth, score)
  refusal <- expect_error(validate(table), class = "rside_error_missing_value")
  expect_match(conditionMessage(refusal), "row 5", fixed = TRUE)
  report <- validate(as_predictions(table, na = "drop"))
  expect_identical(report$dropped, 1)
  expect_match(report$notes$text, "^1 row left out", all = FALSE)
})

test_that("infinite score: auc() fails with a riddle, rside names the column", {
  score <- c(0.1, 0.2, Inf, 0.3)
  expect_error(
    as_given(pROC::auc(response = c(0, 0, 1, 1), predictor = score, quiet = TRUE)),
    "$ operator is invalid for atomic vectors", fixed = TRUE
  )
  for (bad in c(Inf, -Inf, 1.5, -0.5)) {
    table <- table_of(c("neg", "pos"), c(0.5, 0.25), c(0.5, bad))
    refusal <- expect_error(auc_ci(table), class = "rside_error_out_of_range")
    expect_match(conditionMessage(refusal), "'pred_prob_pos'.*row 2")
  }
  expect_error(
    auc_ci(table_of(c("neg", "pos"), c(0.5, 0.25), c(0.5, 0.5))), class = "rside_error_row_sum"
  )
})

test_that("bootstrap: the middle value of ci.auc() is a median, rside's AUC is the curve's", {
  set.seed(2)
  truth <- rep(c("neg", "pos"), c(20, 6))
  table <- binary(truth, plogis(rnorm(26, truth == "pos")))
  roc <- pROC::roc(
    response = table$true_label, predictor = table$pred_prob_pos, levels = c("neg", "pos"),
    direction = "<", quiet = TRUE
  )
  theirs <- pROC::ci.auc(roc, method = "bootstrap", boot.n = 200, progress = "none")
  expect_false(theirs[[2]] == as.numeric(roc$auc))
  ours <- auc_ci(table, interval = "bootstrap", replicates = 200)
  expect_identical(ours$estimate, auc_ci(table)$estimate)
  expect_equal(ours$estimate, as.numeric(roc$auc))
  expect_identical(ours$method, "bootstrap (percentile)")
})

test_that("degenerate interval: DeLong's is NA or without width, rside says so and gives another", {
  roc <- function(truth, score) {
    pROC::roc(
      response = truth, predictor = score, levels = c("neg", "pos"), direction = "<", quiet = TRUE
    )
  }
  perfect <- c("neg", "neg", "pos", "pos")
  expect_identical(range(as_given(pROC::ci.auc(roc(perfect, 1:4 / 5)))), c(1, 1))
  ours <- auc_ci(binary(perfect, 1:4 / 5))
  expect_identical(ours$method, "Newcombe")
  expect_lt(ours$lower, 1)
  expect_match(ours$reason, "DeLong's variance is 0", fixed = TRUE)
  one_case <- c("neg", "neg", "neg", "pos")
  expect_true(is.na(pROC::ci.auc(roc(one_case, c(0.1, 0.2, 0.3, 0.2)))[[1]]))
  ours <- auc_ci(binary(one_case, c(0.1, 0.2, 0.3, 0.2)))
  expect_false(anyNA(c(ours$lower, ours$upper)))
  expect_match(ours$reason, "fewer than two examples of class 'pos'", fixed = TRUE)
})

# scikit-learn's 0: tests/test_agreement.py,
# test_other_definition_is_named_only_where_it_explains_the_difference.
test_that("absent class: caret gives NA, rside NA with its reason", {
  classes <- c("a", "b", "c")
  counts <- table(factor(c("a", "b", "a"), classes), factor(c("a", "b", "b"), classes))
  expect_true(is.na(caret::recall(counts, relevant = "c")))
  report <- validate(decided(c("a", "b", "b"), c("a", "b", "a"), classes))
  of_c <- function(metric, column) value(report, metric, class = "c", column = column)
  expect_identical(of_c("sensitivity", "estimate"), NA_real_)
  expect_identical(of_c("sensitivity", "reason"), "class 'c' does not occur in the truth")
  expect_identical(of_c("precision", "reason"), "class 'c' is never predicted")
  expect_equal(value(report, "sensitivity", "macro"), 0.75)
  expect_match(value(report, "sensitivity", "macro", column = "reason"), "left out: class 'c'")
})

test_that("definitions: every number has one, and its intervals and tests their names", {
  known <- metrics()
  expect_identical(anyDuplicated(known$name), 0L)
  expect_false(anyNA(known[c("formula", "range", "undefined", "source")]))
  expect_match(known$aliases[known$name == "roc_auc"], "ovo|au1u")
  # Half of Brier's sum over both classes; a clipped logarithm.
  half <- validate(binary(c("neg", "pos"), c(0.5, 1)))
  expect_equal(value(half, "brier_score"), (0.5^2 + 0) / 2)
  certain <- validate(binary(c("pos", "pos"), c(0, 1)))
  expect_equal(value(certain, "log_loss"), -log(.Machine$double.eps) / 2)
  # A partial AUC raw and corrected: two names.
  partial <- partial_auc(binary(c("neg", "pos", "neg", "pos"), 1:4 / 5), replicates = 20)$values
  expect_identical(partial$metric, c("partial_auc", "partial_auc_corrected"))
  # An accuracy with either interval, a McNemar test with and without correction.
  method <- function(interval) {
    confusion(fixture("ok_binary.csv"), interval = interval)$overall$method[[1]]
  }
  expect_identical(method("exact"), "Clopper-Pearson")
  expect_identical(method("wilson"), "Wilson")
  tests <- confusion(fixture("ok_binary.csv"))$tests$test
  expect_true(all(c("mcnemar", "mcnemar_corrected", "mcnemar_exact") %in% tests))
  # Thresholds are observed scores, not midpoints.
  curve <- roc_curve(binary(c("neg", "pos"), c(0.25, 0.75)))$curve
  expect_identical(curve$threshold, c(Inf, 0.75, 0.25))
  roc <- pROC::roc(
    response = c("neg", "pos"), predictor = c(0.25, 0.75), levels = c("neg", "pos"),
    direction = "<", quiet = TRUE
  )
  expect_identical(roc$thresholds, c(-Inf, 0.5, Inf))
})

test_that("Bowker: mcnemar.test() gives NaN where a pair is 0/0, rside leaves the pair out", {
  classes <- c("a", "b", "c")
  truth <- rep(c("a", "a", "b", "b", "c"), c(5, 2, 1, 5, 3))
  decision <- rep(c("a", "b", "a", "b", "c"), c(5, 2, 1, 5, 3))
  counts <- table(factor(decision, classes), factor(truth, classes))
  expect_true(is.nan(stats::mcnemar.test(counts)$statistic))
  bowker <- confusion(decided(truth, decision, classes))$tests
  bowker <- bowker[bowker$test == "bowker", ]
  expect_equal(bowker$statistic, (2 - 1)^2 / (2 + 1))
  expect_equal(bowker$df, 1)
  expect_match(bowker$reason, "2 pairs of classes never confused, left out", fixed = TRUE)
})

# Softmax in half precision bites in Python only: tests/test_training_prediction.py,
# test_softmax_is_that_of_scipy_and_torch_in_double_precision, test_saturation_is_counted_by_class
# and test_a_saturated_class_is_logged. Here, scores that differ by one unit in the last place are
# no ties: test-roc.R.

test_that("argument order: pROC takes truth and scores in either order, rside one table", {
  truth <- c(0, 0, 1, 1)
  score <- c(0, 1, 1, 1)
  auc <- function(...) as.numeric(pROC::roc(..., direction = "<", quiet = TRUE)$auc)
  expect_equal(auc(truth, score), 3 / 4)
  expect_equal(auc(score, truth), 5 / 6)
  expect_equal(auc_ci(binary(c("neg", "neg", "pos", "pos"), score))$estimate, 3 / 4)
  calls <- Filter(function(call) identical(call[[1]], quote(pROC::roc)), all_calls(body(proc_roc)))
  expect_length(calls, 1)
  expect_false("" %in% names(calls[[1]])[-1])
})

# scikit-learn's orientation is that of Python's report: pyside/report_html.py.
test_that("orientation: a transposed table swaps recall and precision, rside labels its axes", {
  truth <- c("neg", "neg", "pos", "pos", "pos")
  decision <- c("neg", "pos", "pos", "neg", "neg")
  caret_on <- function(counts) {
    as.list(caret::confusionMatrix(counts, positive = "pos")$byClass[c("Recall", "Precision")])
  }
  right <- caret_on(table(decision, truth))
  turned <- caret_on(table(truth, decision))
  expect_identical(turned$Recall, right$Precision)
  expect_false(turned$Recall == right$Recall)
  matrix <- confusion(decided(truth, decision, c("neg", "pos")))
  expect_identical(names(dimnames(matrix$table)), c("prediction", "truth"))
  expect_equal(matrix$table[["neg", "pos"]], 2)
  expect_match(format(matrix), "predictions in rows, truth in columns", all = FALSE)
  of <- function(metric) matrix$overall$estimate[matrix$overall$metric == metric]
  expect_equal(of("sensitivity"), right$Recall)
  expect_equal(of("precision"), right$Precision)
})

test_that("hard labels: their AUC is not that of the scores, rside says so", {
  truth <- c("neg", "neg", "pos", "pos", "pos")
  score <- c(0.1, 0.55, 0.6, 0.7, 0.4)
  soft <- validate(binary(truth, score))
  hard <- validate(binary(truth, (score >= 0.5) + 0))
  expect_gt(value(soft, "roc_auc"), value(hard, "roc_auc"))
  expect_false("two_valued_scores" %in% soft$notes$code)
  expect_true("two_valued_scores" %in% hard$notes$code)
})

# --- fread --------------------------------------------------------------------

fread <- function(...) data.table::fread(text = c(...), data.table = FALSE)

test_that("header: fread() takes a header over text labels for a row", {
  expect_identical(fread("truth,0,1", "cat,1,0", "dog,0,1")$V1, c("truth", "cat", "dog"))
  p <- read_predictions(csv("true_label,pred_prob_0,pred_prob_1", "0,1,0", "1,0,1"))
  expect_identical(as.character(p$true_label), c("0", "1"))
})

test_that("types: fread() merges labels that are one number, and turns others into dates", {
  expect_identical(fread("l", "01", "1")$l, c(1L, 1L))
  expect_identical(fread("l", "1e3", "1000")$l, c(1000, 1000))
  expect_identical(fread("l", "True", "False")$l, c(TRUE, FALSE))
  expect_s3_class(fread("l", "2020-01-01")$l, "Date")
  labels <- c("01", "1", "1e3", "1000", "True", "2020-01-01")
  p <- read_predictions(csv(
    paste(c("id,site,true_label", paste0("pred_prob_", labels)), collapse = ","),
    paste(labels, labels, labels, apply(diag(6), 1, paste, collapse = ","), sep = ",")
  ))
  expect_identical(as.character(p$true_label), labels)
  expect_identical(p$id, labels)
  expect_identical(p$site, labels)
})

test_that("NA: fread() takes the text for a missing value", {
  expect_identical(fread("l", "NA", "b")$l, c(NA, "b"))
  p <- read_predictions(csv(
    "true_label,pred_prob_NA,pred_prob_b,site", "NA,1,0,NA", "b,0,1,"
  ))
  expect_identical(as.character(p$true_label), c("NA", "b"))
  expect_identical(p$site, c("NA", ""))
})

test_that("space: fread() trims labels", {
  expect_identical(fread("l,m", " cat ,b")$l, "cat")
  p <- read_predictions(csv("true_label,pred_prob_ cat ,pred_prob_cat", " cat ,1,0", "cat,0,1"))
  expect_identical(as.character(p$true_label), c(" cat ", "cat"))
})

test_that("quote: fread() keeps it doubled", {
  expect_identical(fread("l,m", "\"a\"\"b\",c")$l, "a\"\"b")
  p <- read_predictions(csv(
    "true_label,\"pred_prob_a\"\"b\",pred_prob_c", "\"a\"\"b\",1,0", "c,0,1"
  ))
  expect_identical(levels(p$true_label), c("a\"b", "c"))
})

test_that("short last row: fread() drops it with a warning", {
  # Where warnings are errors, fread() raises its own.
  before <- options(warn = 0)
  on.exit(options(before))
  expect_warning(rows <- fread("a,b", "1,2", "3,4", "5"), "Discarded single-line footer")
  expect_identical(nrow(rows), 2L)
  expect_error(
    read_predictions(csv("true_label,pred_prob_a,pred_prob_b", "a,1,0", "b,0,1", "b")),
    class = "rside_error_truncated"
  )
})

test_that("long ids: fread() makes numbers of them", {
  ids <- c("2147483648", "9007199254740993")
  expect_type(as_given(fread("id", ids)$id), "double")
  p <- read_predictions(csv("id,true_label,pred_prob_a,pred_prob_b", paste0(ids, ",a,1,0")))
  expect_identical(p$id, ids)
})

test_that("numbers: fread() is now and then one unit in the last place off, fwrite() short", {
  x <- 0.006859852576739552
  text <- "0.006859852576739552"
  read <- fread("x", text)$x
  expect_lte(abs(read - jsonlite::fromJSON(text)), 2^-59)
  path <- tempfile(fileext = ".csv")
  data.table::fwrite(data.frame(x = 0.1 + 0.2), path)
  expect_identical(readLines(path)[[2]], "0.3")
  # rside writes every digit that is needed, and reads within the last place.
  score <- c(x, 0.1 + 0.2)
  write_predictions(as_predictions(binary(c("neg", "pos"), score)), path)
  written <- sub(".*,", "", readLines(path)[-1])
  expect_identical(vapply(written, jsonlite::fromJSON, 0, USE.NAMES = FALSE), score)
  expect_equal(read_predictions(path)$pred_prob_pos, score, tolerance = 2^-52)
})
