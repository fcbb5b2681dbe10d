classes <- c("a", "b", "c", "d")

table_of <- function(counts) {
  names <- classes[seq_len(nrow(counts))]
  cells <- expand.grid(prediction = names, truth = names, stringsAsFactors = FALSE)
  rows <- rep(seq_len(nrow(cells)), as.vector(counts))
  decided(cells$truth[rows], cells$prediction[rows], names)
}

test_of <- function(matrix, test, column = "p_value") {
  matrix$tests[[column]][matrix$tests$test == test]
}

test_that("McNemar's tests are those of stats, and of Agresti's example", {
  # Agresti (1990), Categorical Data Analysis, p. 350 (help(mcnemar.test)): z^2 = 17.36
  counts <- matrix(c(794, 86, 150, 570), 2)
  matrix <- confusion(table_of(counts))
  expect_equal(round(test_of(matrix, "mcnemar", "statistic"), 2), 17.36)
  corrected <- mcnemar.test(counts)
  expect_equal(test_of(matrix, "mcnemar_corrected", "statistic"), unname(corrected$statistic))
  expect_equal(test_of(matrix, "mcnemar_corrected"), corrected$p.value)
  plain <- mcnemar.test(counts, correct = FALSE)
  expect_equal(test_of(matrix, "mcnemar"), plain$p.value)
  expect_equal(test_of(matrix, "mcnemar", "statistic"), unname(plain$statistic))
  expect_equal(test_of(matrix, "mcnemar_exact"), binom.test(86, 236)$p.value)
  even <- confusion(table_of(matrix(c(5, 3, 3, 5), 2)))
  expect_identical(test_of(even, "mcnemar_exact"), 1)
})

test_that("Bowker's test is that of stats where every pair is confused", {
  set.seed(1)
  counts <- matrix(rpois(16, 6) + 1, 4)
  theirs <- mcnemar.test(counts)
  matrix <- confusion(table_of(counts))
  expect_equal(test_of(matrix, "bowker"), theirs$p.value)
  expect_equal(test_of(matrix, "bowker", "statistic"), unname(theirs$statistic))
  expect_equal(test_of(matrix, "bowker", "df"), 6)
  expect_identical(test_of(matrix, "bowker", "reason"), NA_character_)
})

test_that("Bowker's test survives pairs that are never confused, which stats' does not", {
  counts <- matrix(c(10, 3, 0, 1, 12, 0, 0, 0, 9), 3)
  expect_true(is.nan(mcnemar.test(counts)$p.value))
  matrix <- confusion(table_of(counts))
  # Bowker (1948): the sum of (n_ij - n_ji)^2 / (n_ij + n_ji), here of one pair.
  expect_equal(test_of(matrix, "bowker", "statistic"), (3 - 1)^2 / (3 + 1))
  expect_equal(test_of(matrix, "bowker", "df"), 1)
  expect_match(test_of(matrix, "bowker", "reason"), "2 pairs of classes never confused")
})

test_that("where nothing is confused there is no test, and it says so", {
  for (k in 2:3) {
    tests <- confusion(table_of(diag(4, k)))$tests
    without <- tests[tests$test != "no_information_rate", ]
    expect_true(all(is.na(without$p_value)))
    expect_identical(unique(without$reason), "no row's prediction differs from the truth")
  }
})

test_that("the no-information rate and its test are caret's", {
  for (seed in 1:4) {
    p <- as_predictions(random_table(seed, 50, k = 2 + seed %% 2))
    matrix <- confusion(p)
    theirs <- caret::confusionMatrix(data = decision_of(p), reference = p$true_label)$overall
    rate <- matrix$overall[matrix$overall$metric == "no_information_rate", ]
    expect_equal(rate$estimate, theirs[["AccuracyNull"]])
    expect_equal(test_of(matrix, "no_information_rate"), theirs[["AccuracyPValue"]])
  }
})

test_that("predictive values at a prevalence are caret's, with the interval of Mercaldo et al.", {
  counts <- matrix(c(80, 20, 15, 85), 2)
  p <- table_of(counts)
  values <- confusion(p, prevalence = 0.1)$overall
  ppv <- values[values$metric == "ppv_at_prevalence", ]
  npv <- values[values$metric == "npv_at_prevalence", ]
  tally <- table(decision_of(p), p$true_label)
  expect_equal(ppv$estimate, caret::posPredValue(tally, positive = "b", prevalence = 0.1))
  expect_equal(npv$estimate, caret::negPredValue(tally, negative = "a", prevalence = 0.1))
  # Mercaldo, Lau and Zhou (2007), equations for the logits: variances (1 - Se) / (Se n1) +
  # Sp / ((1 - Sp) n0), and Se / ((1 - Se) n1) + (1 - Sp) / (Sp n0).
  se <- 85 / 100
  sp <- 80 / 100
  logit_ends <- function(estimate, variance) {
    plogis(qlogis(estimate) + c(-1, 1) * qnorm(0.975) * sqrt(variance))
  }
  expect_equal(
    c(ppv$lower, ppv$upper),
    logit_ends(ppv$estimate, (1 - se) / (se * 100) + sp / ((1 - sp) * 100))
  )
  expect_equal(
    c(npv$lower, npv$upper),
    logit_ends(npv$estimate, se / ((1 - se) * 100) + (1 - sp) / (sp * 100))
  )
  # At the table's own prevalence they are precision and npv.
  own <- confusion(p, prevalence = 0.5)$overall
  expect_equal(own$estimate[own$metric == "ppv_at_prevalence"],
               own$estimate[own$metric == "precision"])
})

test_that("predictive values at a prevalence say why they are undefined", {
  reason <- function(name) {
    values <- confusion(fixture(paste0("ok_", name, ".csv")), prevalence = 0.2)$overall
    values$reason[values$metric == "ppv_at_prevalence"]
  }
  expect_identical(reason("one_class_truth"), "class 'dog' does not occur in the truth")
  expect_identical(reason("perfect"), "no interval: the estimated variance is 0")
  expect_match(reason("never_predicted"), "no such call")
})

test_that("a prevalence is one number between 0 and 1, of two classes", {
  for (prevalence in list(0, 1, -0.1, NA, "a", c(0.1, 0.2))) {
    expect_error(
      confusion(fixture("ok_binary.csv"), prevalence = prevalence), class = "rside_error_argument"
    )
  }
  refusal <- expect_error(
    confusion(fixture("ok_multiclass.csv"), prevalence = 0.1), class = "rside_error_argument"
  )
  expect_match(conditionMessage(refusal), "Leave `prevalence` out", fixed = TRUE)
})
