good <- function() binary(c("neg", "pos", "pos"), c(0.25, 0.5, 0.75))

test_that("labels become factors in class order, whatever their type", {
  p <- as_predictions(good(), classes = c("pos", "neg"))
  expect_identical(levels(p$true_label), c("pos", "neg"))
  expect_identical(names(p), c("true_label", "pred_prob_pos", "pred_prob_neg"))
  as_factor <- good()
  as_factor$true_label <- factor(as_factor$true_label, levels = c("pos", "other", "neg"))
  expect_identical(as_predictions(as_factor)$true_label, as_predictions(good())$true_label)
  for (truth in list(c(0L, 1L, 1L), c(0, 1, 1))) {
    p <- as_predictions(binary(truth, c(0.25, 0.5, 0.75), c("0", "1")))
    expect_identical(as.character(p$true_label), c("0", "1", "1"))
  }
  p <- as_predictions(binary(c(FALSE, TRUE, TRUE), c(0.25, 0.5, 0.75), c("FALSE", "TRUE")))
  expect_identical(as.character(p$true_label), c("FALSE", "TRUE", "TRUE"))
  expect_error(
    as_predictions(binary(c(0.5, 1, 1), c(0.25, 0.5, 0.75), c("0", "1"))),
    class = "rside_error_unknown_class"
  )
})

test_that("class order is not a sort in any locale", {
  classes <- c("_x", "10", "9", "bird", "Cat", "dog")
  p <- decided(classes, classes, classes)
  expect_identical(facts(p)$classes, classes)
  expect_identical(levels(p$true_label), classes)
  expect_identical(rownames(confusion(p)$table), classes)
})

test_that("data.table and tibble are taken", {
  expect_identical(as_predictions(data.table::as.data.table(good())), as_predictions(good()))
  tibble <- structure(good(), class = c("tbl_df", "tbl", "data.frame"))
  expect_identical(as_predictions(tibble), as_predictions(good()))
  expect_error(as_predictions(list(1)), class = "rside_error_argument")
})

test_that("arguments come before the sidecar, and the sidecar before assumptions", {
  path <- fixture("ok_positive_first.csv")
  expect_identical(facts(read_predictions(path))$positive, "cat")
  expect_identical(facts(read_predictions(path, positive = "dog"))$positive, "dog")
  expect_identical(facts(read_predictions(path, threshold = 0.75))$threshold, 0.75)
  expect_identical(
    facts(read_predictions(path, classes = c("dog", "cat")))$classes, c("dog", "cat")
  )
  expect_error(
    read_predictions(path, classes = c("dog", "wolf")), class = "rside_error_bad_classes"
  )
  expect_identical(
    facts(as_predictions(good()))$assumed, c("classes", "positive", "threshold")
  )
  again <- as_predictions(read_predictions(path))
  expect_identical(again, read_predictions(path))
})

test_that("what cannot be stated is refused", {
  three <- read_predictions(fixture("ok_multiclass.csv"))
  expect_error(as_predictions(three, positive = "cat"), class = "rside_error_bad_positive")
  expect_error(as_predictions(good(), positive = "x"), class = "rside_error_bad_positive")
  expect_error(as_predictions(good(), threshold = NaN), class = "rside_error_bad_threshold")
  expect_error(as_predictions(good(), sum_tolerance = -1), class = "rside_error_argument")
  expect_error(as_predictions(good(), threshold = 2), class = "rside_error_bad_threshold")
  expect_error(as_predictions(good(), threshold = "a"), class = "rside_error_argument")
  expect_error(as_predictions(good(), positive = 1), class = "rside_error_argument")
  expect_error(
    as_predictions(good(), classes = c("neg", "pos", "pos")), class = "rside_error_bad_classes"
  )
  expect_error(read_predictions(1), class = "rside_error_argument")
})

test_that("missing rows are refused with their numbers, or dropped and counted", {
  table <- good()
  table$true_label[1] <- NA
  table[3, 2:3] <- NA
  refusal <- expect_error(as_predictions(table), class = "rside_error_missing_label")
  expect_match(conditionMessage(refusal), "row 1", fixed = TRUE)
  p <- as_predictions(table, na = "drop")
  expect_identical(nrow(p), 1L)
  expect_identical(facts(p)$dropped, 2)
  expect_identical(facts(as_predictions(p))$dropped, 2)
  expect_identical(validate(p)$n, 1)
  expect_true("rows_dropped" %in% validate(p)$notes$code)
  table$true_label <- NA_character_
  expect_error(as_predictions(table, na = "drop"), class = "rside_error_no_rows")
})

test_that("row numbers count dropped rows too", {
  table <- good()
  table$true_label <- c(NA, "pos", "wolf")
  refusal <- expect_error(as_predictions(table, na = "drop"), class = "rside_error_unknown_class")
  expect_match(conditionMessage(refusal), "row 3", fixed = TRUE)
})

test_that("sums are held to the tolerance that is stated", {
  table <- good()
  table$pred_prob_neg <- table$pred_prob_neg + 1e-4
  expect_error(as_predictions(table), class = "rside_error_row_sum")
  expect_s3_class(as_predictions(table, sum_tolerance = 1e-3), "rside_predictions")
})

test_that("columns that are not plain are refused by name", {
  table <- good()
  table$list <- list(1, 2, 3)
  refusal <- expect_error(as_predictions(table), class = "rside_error_argument")
  expect_match(conditionMessage(refusal), "'list'", fixed = TRUE)
  table <- good()
  table$pred_prob_pos <- c(TRUE, FALSE, TRUE)
  expect_error(as_predictions(table), class = "rside_error_not_a_number")
})

test_that("text that is not UTF-8 is refused, latin1 is converted", {
  table <- good()
  table$site <- c("a", "b\xfc", "c")
  Encoding(table$site) <- "unknown"
  skip_if_not(l10n_info()$`UTF-8`)
  expect_error(as_predictions(table), class = "rside_error_encoding")
  Encoding(table$site) <- "latin1"
  expect_identical(as_predictions(table)$site, c("a", "b\u00fc", "c"))
})

test_that("the decision is the threshold's, the arg max, or the pred_label", {
  scores <- c(0.25, 0.5, 0.75)
  decision <- function(...) as.character(decision_of(as_predictions(...)))
  expect_identical(decision(good()), c("neg", "pos", "pos"))
  expect_identical(decision(good(), threshold = 0.75), c("neg", "neg", "pos"))
  expect_identical(decision(good(), positive = "neg"), c("neg", "neg", "pos"))
  stated <- binary(c("neg", "pos", "pos"), scores, pred_label = c("pos", "neg", "neg"))
  expect_identical(decision(stated), c("pos", "neg", "neg"))
  tie <- data.frame(true_label = "c", pred_prob_c = 0.25, pred_prob_b = 0.375, pred_prob_a = 0.375)
  expect_identical(decision(tie), "b")
  nearly <- data.frame(true_label = "c", pred_prob_c = 0, pred_prob_b = 0.5 - 1e-9,
                       pred_prob_a = 0.5 + 1e-9)
  expect_identical(decision(nearly), "a")
})

test_that("a selection of rows stays a prediction table", {
  p <- read_predictions(fixture("ok_binary.csv"))
  part <- p[p$true_label == "dog", ]
  of_table <- function(x) facts(x)[c("classes", "positive", "threshold", "assumed")]
  expect_identical(of_table(part), of_table(p))
  expect_identical(class(p[, "true_label", drop = FALSE]), "data.frame")
  expect_type(p[, "id"], "character")
})

test_that("what is written is read back", {
  for (name in c("ok_binary", "ok_odd_names", "ok_extras", "ok_multiclass")) {
    p <- read_predictions(fixture(paste0(name, ".csv")))
    path <- tempfile(fileext = ".csv")
    expect_identical(write_predictions(p, path), path)
    back <- read_predictions(path)
    expect_equal(as.data.frame(back), as.data.frame(p), tolerance = 1e-15)
    settled <- c("classes", "positive", "threshold", "dropped")
    expect_identical(facts(back)[settled], facts(p)[settled])
    expect_length(list.files(dirname(path), paste0("^[.]", basename(path))), 0)
  }
})

test_that("numbers are written in the shortest text that reads back equal", {
  x <- c(0.1, 1 / 3, 2 / 3, 0, 1, 5e-324, 0.30000000000000004, 1 - 2^-53)
  expect_identical(as.double(exact_text(x)), x)
  expect_identical(exact_text(0.1), "0.1")
  table <- binary(c("neg", "pos"), c(0.5, 0.5))
  path <- write_predictions(as_predictions(table, threshold = 1 / 3), tempfile(fileext = ".csv"))
  expect_identical(facts(read_predictions(path))$threshold, 1 / 3)
})

test_that("a table prints with its classes, positive class and assumptions", {
  out <- capture.output(print(as_predictions(good())))
  expect_match(out, "positive class: 'pos' (assumed)", fixed = TRUE, all = FALSE)
  expect_match(out, "classes: 'neg', 'pos' (assumed)", fixed = TRUE, all = FALSE)
})

# --- from a review: what a hostile reader found ----------------------------

test_that("a wider sum_tolerance holds for every use of the table", {
  path <- tempfile(fileext = ".csv")
  writeLines(c("true_label,pred_prob_a,pred_prob_b", "a,0.6,0.39", "b,0.1,0.9"), path)
  table <- read_predictions(path, sum_tolerance = 0.05)
  expect_equal(validate(table)$n, 2)
  expect_equal(confusion(table)$n, 2)
  expect_silent(write_predictions(table, tempfile(fileext = ".csv")))
  expect_error(as_predictions(table, sum_tolerance = 1e-6), class = "rside_error_row_sum")
})

test_that("doubles are written so that a correct reader gets them back", {
  set.seed(1)
  # 0.44907835638150573 is one that as.double() misreads at 16 digits.
  x <- c(0.44907835638150573, runif(2000))
  table <- as_predictions(data.frame(
    true_label = rep(c("a", "b"), length.out = length(x)), pred_prob_a = 1 - x, pred_prob_b = x
  ))
  path <- tempfile(fileext = ".csv")
  write_predictions(table, path)
  written <- sub(".*,", "", readLines(path)[-1])
  # jsonlite reads numbers by the C library's strtod(), which rounds correctly.
  expect_identical(jsonlite::fromJSON(paste0("[", paste(written, collapse = ","), "]")), x)
})

test_that("write_predictions() replaces nothing but a prediction table", {
  table <- as_predictions(data.frame(
    true_label = c("a", "b"), pred_prob_a = c(0.75, 0.25), pred_prob_b = c(0.25, 0.75)
  ))
  folder <- tempfile()
  dir.create(folder)
  missing <- file.path(folder, "no", "x.csv")
  for (path in list("x.json", "x", NULL, NA, 1, c("a.csv", "b.csv"), missing)) {
    expect_error(write_predictions(table, path), class = "rside_error_argument")
  }
  writeLines("{\"name\": \"mine\"}", file.path(folder, "package.json"))
  expect_error(
    write_predictions(table, file.path(folder, "package.csv")), "something else",
    class = "rside_error_argument"
  )
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "package.json")
})

test_that("what was assumed is assumed again after writing, and said again", {
  table <- as_predictions(data.frame(
    true_label = c("a", "b"), pred_prob_a = c(0.75, 0.25), pred_prob_b = c(0.25, 0.75)
  ))
  path <- tempfile(fileext = ".csv")
  write_predictions(table, path)
  expect_true(all(c("positive_assumed", "threshold_assumed") %in% validate(path)$notes$code))
})

test_that("arguments that cannot be used raise typed errors", {
  table <- data.frame(
    true_label = c("a", "b"), pred_prob_a = c(0.75, 0.25), pred_prob_b = c(0.25, 0.75)
  )
  expect_error(as_predictions(table, na = "foo"), class = "rside_error_argument")
  expect_error(as_predictions(table, na = NA), class = "rside_error_argument")
  expect_error(as_predictions(table, classes = mean), class = "rside_error_argument")
  expect_error(
    ggplot2::autoplot(validate(table), type = "foo"), class = "rside_error_argument"
  )
  table$group <- c(1, NA)
  expect_silent(as_predictions(table))
})

test_that("some rows of a table do not carry the digest of the whole file", {
  table <- read_predictions(system.file("extdata", "preds.csv", package = "rside"))
  expect_null(validate(table[1:50, ])$source)
  expect_false(is.null(validate(table)$source))
})

test_that("a stated threshold does not move to the other class unasked", {
  table <- binary(c("neg", "pos"), c(0.2, 0.7))
  stated <- as_predictions(table, positive = "pos", threshold = 0.3)
  refusal <- expect_error(validate(stated, positive = "neg"), class = "rside_error_bad_threshold")
  expect_match(conditionMessage(refusal), "0.3 for 'pos'", fixed = TRUE)
  moved <- as_predictions(stated, positive = "neg", threshold = 0.7)
  expect_identical(confusion(moved)$positive, "neg")
  path <- tempfile(fileext = ".csv")
  write_predictions(stated, path)
  expect_error(read_predictions(path, positive = "neg"), class = "rside_error_bad_threshold")
  expect_no_error(read_predictions(path, positive = "neg", threshold = 0.7))
  # 0.5 is the same rule for both.
  half <- as_predictions(table, positive = "pos", threshold = 0.5)
  expect_no_error(confusion(half, positive = "neg"))
})

test_that("a table that was changed since it was read has no file's digest", {
  read <- read_predictions(system.file("extdata", "preds.csv", package = "rside"))
  said <- function(table) as.character(methods_text(validate(table)))
  expect_match(said(read), "SHA-256", fixed = TRUE)
  squared <- read
  squared$pred_prob_dog <- read$pred_prob_dog^2
  squared$pred_prob_cat <- 1 - squared$pred_prob_dog
  expect_no_match(said(squared), "SHA-256", fixed = TRUE)
  shuffled <- read
  shuffled$true_label <- rev(read$true_label)
  expect_no_match(said(shuffled), "SHA-256", fixed = TRUE)
})

test_that("weights farther apart than doubles can add are refused", {
  table <- binary(c("neg", "pos", "pos"), c(0.2, 0.7, 0.4), weight = c(1e200, 1, 0))
  expect_error(as_predictions(table), class = "rside_error_bad_weight")
  table$weight[[1]] <- 1e15
  expect_no_error(as_predictions(table))
})
