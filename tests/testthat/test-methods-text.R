sample_path <- system.file("extdata", "preds.csv", package = "rside")

said <- function(x, ...) as.character(methods_text(x, ...))

expect_says <- function(text, ...) {
  for (part in c(...)) expect_match(text, part, fixed = TRUE)
}

expect_not <- function(text, ...) {
  for (part in c(...)) expect_no_match(text, part, fixed = TRUE)
}

test_that("the paragraph of a report says what was computed, and from what", {
  report <- validate(sample_path, conf_level = 0.9)
  text <- said(report)
  expect_says(
    text, "200 rows (126 of class 'cat' and 74 of class 'dog')", "the positive class is 'dog'.",
    paste("preds.csv has the SHA-256 digest", cli::hash_file_sha256(sample_path)),
    "the probability of 'dog' was at least 0.5.", "The 90% confidence intervals",
    "exact (Clopper and Pearson 1934) for accuracy, the no-information rate, sensitivity",
    "DeLong's (DeLong et al. 1988)", "Cohen's kappa (Fleiss et al. 1969)",
    paste("rside", packageVersion("rside")), paste("in R", getRversion()),
    paste("pROC", packageDescription("pROC", fields = "Version"))
  )
  expect_not(
    text, "assumed", "default", "Undefined", "Without an interval", "Newcombe", "Wilson's (",
    "bootstrap", "case weight", "[@"
  )
})

test_that("an interval is named as the result names it", {
  exact <- said(confusion(sample_path))
  wilson <- said(confusion(sample_path, interval = "wilson"))
  expect_says(exact, "exact (Clopper and Pearson 1934) for accuracy")
  expect_says(wilson, "Wilson's (Wilson 1927) for accuracy")
  expect_not(wilson, "Clopper")
  of_auc <- function(...) said(auc_ci(sample_path, replicates = 20, ...))
  expect_says(of_auc(), "DeLong's (DeLong et al. 1988), cut off at 0 and 1")
  expect_says(of_auc(interval = "logit"), "DeLong's on the logit scale")
  newcombe <- of_auc(interval = "newcombe")
  expect_says(newcombe, "Newcombe's method 5 (Newcombe 2006)")
  expect_not(newcombe, "DeLong")
  expect_says(of_auc(interval = "bootstrap"), "percentiles of bootstrap samples", "Efron 1979")
  expect_identical(said(roc_curve(sample_path)), of_auc())
})

test_that("what stood in for an interval is named, with the reason", {
  apart <- binary(c("neg", "neg", "pos", "pos"), c(0.1, 0.2, 0.8, 0.9))
  text <- said(auc_ci(apart))
  expect_says(text, "Newcombe's method 5", "DeLong's variance is 0: Newcombe's interval instead")
  expect_not(text, "cut off at 0 and 1")
  # A class of one row against the rest, in a table of three classes.
  table <- random_table(3, 30, 3)
  table$true_label <- c("a", rep(c("b", "c"), c(14, 15)))
  text <- said(multiclass_auc(table))
  expect_says(
    text, "for the one-vs-rest area under the ROC curve (in part)", "Newcombe's method 5",
    "Without an interval: the Hand-Till area under the ROC curve"
  )
})

test_that("what is undefined is named, with the reason", {
  text <- said(validate(binary(rep("neg", 3), c(0.1, 0.2, 0.3))))
  expect_says(
    text, "precision (class 'pos' is never predicted)",
    "the area under the ROC curve and average precision (only class 'neg' occurs in the truth)",
    "balanced accuracy (left out: class 'pos' does not occur in the truth)"
  )
  right <- decided(c("neg", "pos", "pos"), c("neg", "pos", "pos"), c("neg", "pos"))
  text <- said(confusion(right))
  expect_says(
    text, "Without an interval: Cohen's kappa and the Matthews correlation coefficient",
    "Not tested, no row's prediction differs from the truth: McNemar's test"
  )
})

test_that("what was assumed, left out, decided or weighted is said", {
  table <- binary(c("neg", "pos", "pos", "neg", NA), c(0.25, 0.75, 0.5, 0.5, 0.5))
  assumed <- said(validate(as_predictions(table, na = "drop")))
  expect_says(
    assumed, "It was not stated: the last class was taken.", "at least 0.5, the default",
    "1 row with a missing label or probability left out."
  )
  stated <- said(validate(as_predictions(table, positive = "neg", threshold = 0.6, na = "drop")))
  expect_says(stated, "the positive class is 'neg'", "the probability of 'neg' was at least 0.6.")
  expect_not(stated, "not stated")

  table <- table[1:4, ]
  table$pred_label <- c("pos", "pos", "pos", "neg")
  decided <- said(validate(table))
  expect_says(decided, "the `pred_label` was used")
  expect_not(decided, "at least 0.5")

  table <- random_table(5)
  table$weight <- rep(1:3, 20)
  for (x in list(validate(table), confusion(table), auc_ci(table), roc_curve(table))) {
    expect_says(said(x), "effective numbers of trials (Korn and Graubard 1998)")
  }
  expect_says(said(validate(table)), "of equal weight (Kish 1965)")
  expect_says(said(confusion(table)), "Not tested, not defined with case weights: a one-sided")
  expect_not(said(confusion(table)), "Tests: ")
  table$weight <- 2
  expect_not(said(validate(table)), "weight of", "case weights", "Kish")
})

test_that("several classes have their means by name", {
  report <- validate(fixture("ok_multiclass.csv"))
  text <- said(report)
  expect_says(
    text, "class of the greatest probability", "Hand and Till 2001", "Macro averages are",
    "by variance estimates recovered (MOVER) from Wilson's intervals of the parts",
    "the one-vs-rest sensitivity, specificity, precision, negative predictive value and F1 score",
    "Obuchowski's for clustered scores", "half the sum over the classes"
  )
  expect_not(text, "positive class is")
  counts <- confusion(fixture("ok_multiclass.csv"))
  expect_says(said(counts), "Bowker's test of symmetry (Bowker 1948)")
  many <- said(validate(random_table(1, 60, 8)))
  expect_says(many, "60 rows in 8 classes were")
})

test_that("curves say what they are of", {
  pr <- pr_curve(sample_path, replicates = 20)
  expect_says(
    said(pr), "by guessing, precision is the prevalence, 0.37.", "Davis and Goadrich 2006",
    "as many trials as there are positives (Boyd et al. 2013)"
  )
  partial <- partial_auc(sample_path, c(1, 0.75), "sensitivity", replicates = 20)
  expect_says(said(partial), "over a sensitivity of 0.75 to 1", "McClish 1989")
  band <- roc_band(sample_path, at = c(0, 0.5, 0.9), replicates = 20)
  expect_says(
    said(band), "The sensitivity was read off the ROC curve at 3 values of the specificity",
    "The 95% pointwise confidence intervals", "specificity 0 (no interval"
  )
})

test_that("calibration states its bins", {
  found <- calibration(sample_path, bins = 7, binning = "width", replicates = 20)
  text <- said(found)
  expect_says(
    text, format_binning(found), "7 bins of equal width", "Van Calster et al. 2016",
    "the test of Hosmer and Lemeshow", "Spiegelhalter's test", "biased upwards"
  )
  several <- said(calibration(fixture("ok_multiclass.csv"), bins = 4, replicates = 20))
  expect_says(several, "4 bins of equal counts", "top-label", "Kull et al. 2019")
  expect_says(several, "Not tested, defined for two classes: the test of Hosmer and Lemeshow")
  table <- random_table(6)
  table$weight <- rep(1:3, 20)
  weighted <- said(calibration(table, replicates = 20))
  expect_says(weighted, "Rows count by their case weights", "sandwich estimator (White 1982)")
})

test_that("operating points state every rule", {
  points <- operating_points(
    sample_path, sensitivity = 0.9, specificity = 0.95, cost_ratio = 4, prevalence = 0.2,
    threshold = 0.3, replicates = 20
  )
  expect_says(
    said(points), "was at least the threshold", "the greatest Youden index (Youden 1950)",
    "ROC curve to (0, 1) (Perkins and Schisterman 2006)",
    "the greatest with a sensitivity of at least 0.9",
    "the least with a specificity of at least 0.95",
    "a missed positive costs 4 times a false alarm and the prevalence is 0.2", "0.3 as stated",
    "corrected for optimism", "Simel's on the log scale"
  )
  rare <- binary(rep(c("neg", "pos"), c(96, 4)), (1:100) / 101)
  warned <- operating_points(rare, replicates = 20)
  expect_says(said(warned), warned$warning)
  stated <- operating_points(sample_path, rules = NULL, threshold = 0.3, replicates = 20)
  expect_not(said(stated), "optimism", "intervals of the thresholds")
})

test_that("a comparison says how rows were matched, and which interval a difference has", {
  a <- as.data.frame(read_predictions(sample_path))
  b <- a
  b$pred_prob_dog <- (a$pred_prob_dog + rev(a$pred_prob_dog)) / 2
  b$pred_prob_cat <- 1 - b$pred_prob_dog
  compare <- function(...) said(compare_models(a, b, positive = "dog", ...))
  paired <- compare(names = c("new", "old"))
  expect_says(
    paired, "'new' and 'old'", "the same 200 rows, matched by id",
    "Newcombe's for paired proportions (Newcombe 1998) for accuracy, sensitivity and specificity",
    "DeLong's (DeLong et al. 1988) for the area", "McNemar's test without"
  )
  expect_not(paired, "independent")
  tango <- compare(proportions = "tango")
  expect_says(tango, "Tango's by the score test (Tango 1998)")
  unpaired <- compare(paired = FALSE)
  expect_says(
    unpaired, "200 rows and 200 rows that are not paired", "Newcombe's for independent proportions",
    "Welch's degrees of freedom", "Fisher's exact test"
  )
  expect_says(compare(interval = "bootstrap", replicates = 20), "percentiles of bootstrap samples")
})

test_that("slices say which are small, and how they were tested", {
  table <- as.data.frame(read_predictions(sample_path))
  table$site <- c(rep("C", 10), rep(c("A", "B"), 95))
  found <- slices(table, "site", positive = "dog", metrics = c("accuracy", "roc_auc"))
  expect_says(
    said(found), "each level of 'site'", "fewer than 30 rows (1 slice)",
    "Pearson's chi-square test (Pearson 1900) for accuracy",
    "Cochran's Q on the logit scale (Cochran 1954) for the area", "Holm 1979"
  )
  alone <- slices(table, "site", positive = "dog", minimum = 150, metrics = "accuracy")
  expect_not(said(alone), "Homogeneity")
})

test_that("the references are those that the text cites, and no others", {
  results <- list(
    validate(sample_path), confusion(sample_path, prevalence = 0.1),
    pr_curve(sample_path, replicates = 10), calibration(sample_path, replicates = 10)
  )
  for (x in results) {
    methods <- methods_text(x)
    keys <- unique(regmatches(
      methods$marked, gregexpr("(?<=@)[a-z]+[0-9]{4}[a-z]?", methods$marked, perl = TRUE)
    )[[1]])
    expect_identical(names(methods$references), keys)
    bibtex <- toBibtex(methods)
    expect_identical(sum(grepl("^@", bibtex)), length(keys))
    for (key in keys) expect_match(bibtex, paste0("{", key, ","), fixed = TRUE, all = FALSE)
    expect_no_match(methods$text, "@", fixed = TRUE)
    expect_identical(as.character(methods, keys = TRUE), methods$marked)
    for (work in unclass(methods$references)) {
      expect_match(methods$text, paste0(work$author[[1]]$family, ".*", work$year))
    }
  }
})

test_that("it prints within 80 columns, or another width", {
  methods <- methods_text(validate(sample_path))
  out <- capture.output(print(methods))
  expect_lte(max(nchar(out)), 80)
  expect_true("References" %in% out)
  expect_lte(max(nchar(format(methods, width = 70))), 70)
  expect_length(as.character(methods), 1)
  expect_no_match(as.character(methods), "\n", fixed = TRUE)
})

test_that("class names are text, whatever they hold", {
  classes <- c("[@delong1988x] \\1 {a}", "cat\nfish %s")
  table <- binary(classes[c(1, 2, 2, 1)], c(0.1, 0.2, 0.8, 0.9), classes)
  text <- said(validate(table))
  expect_says(text, "2 of class '[@delong1988x] \\1 {a}'", "'cat\\nfish %s'")
  expect_no_match(text, "\n", fixed = TRUE)
})

test_that("what is no result is refused", {
  for (x in list(1, NULL, data.frame(a = 1), metrics())) {
    expect_error(methods_text(x), class = "rside_error_argument")
  }
})

# A method or a test without words would be an error here.
test_that("every result of every table has a text", {
  results_of <- function(p) {
    turned <- p
    scores <- paste0("pred_prob_", facts(p)$classes)
    turned[scores] <- p[rev(scores)]
    any <- list(
      validate(p), confusion(p), confusion(p, interval = "wilson"), multiclass_auc(p),
      multiclass_auc(p, interval = "bootstrap", replicates = 10), calibration(p, replicates = 10),
      compare_models(p, turned), compare_models(p, turned, paired = FALSE),
      compare_models(p, turned, interval = "bootstrap", replicates = 10),
      slices(p, "group", minimum = 2)
    )
    if (is.null(facts(p)$positive)) {
      return(any)
    }
    c(any, list(
      confusion(p, prevalence = 0.1), roc_curve(p, interval = "logit"),
      auc_ci(p, interval = "bootstrap", replicates = 10), pr_curve(p, replicates = 10),
      pr_curve(p, interval = "bootstrap", replicates = 10), partial_auc(p, replicates = 10),
      roc_band(p, of = "specificity", replicates = 10),
      operating_points(p, sensitivity = 0.9, cost_ratio = 3, threshold = 0.3, replicates = 10)
    ))
  }
  for (seed in 1:16) {
    k <- c(2, 2, 3, 5)[[seed %% 4 + 1]]
    n <- c(5, 8, 30)[[seed %% 3 + 1]]
    table <- random_table(seed, n, k)
    # One class, two classes or all of them in the truth.
    few <- letters[seq_len(max(1, seed %% (k + 1)))]
    table$true_label <- few[seq_len(n) %% length(few) + 1]
    table$group <- rep_len(c("x", "y", ""), n)
    if (seed %% 5 == 0) table$weight <- seq_len(n)
    for (x in results_of(as_predictions(table))) {
      text <- said(x)
      expect_match(text, "^The predictions .*[.]$")
      expect_no_match(text, "\\bNA\\b|NULL|character\\(0\\)|  | ,|\\(\\)|[.][.]")
    }
  }
})
