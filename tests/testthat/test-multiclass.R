# Hand and Till (2001), equation 7, by counting pairs.
hand_till_by_pairs <- function(table) {
  classes <- sort(unique(table$true_label))
  pairs <- combn(classes, 2)
  mean(apply(pairs, 2, function(pair) {
    score <- function(of, among) table[[paste0("pred_prob_", of)]][table$true_label == among]
    a_given_b <- pair_auc(score(pair[1], pair[1]), score(pair[1], pair[2]))
    b_given_a <- pair_auc(score(pair[2], pair[2]), score(pair[2], pair[1]))
    (a_given_b + b_given_a) / 2
  }))
}

# Every score of a row's own class against every score of another class, of any row.
micro_by_pairs <- function(table) {
  classes <- sort(unique(table$true_label))
  probabilities <- as.matrix(table[paste0("pred_prob_", classes)])
  own <- outer(table$true_label, classes, "==")
  pair_auc(probabilities[own], probabilities[!own])
}

test_that("every mean agrees with counting pairs, ties included", {
  for (seed in 1:4) {
    table <- random_table(seed, n = 80, k = 4)
    values <- as.data.frame(multiclass_auc(table))
    each <- vapply(letters[1:4], function(class) {
      score <- table[[paste0("pred_prob_", class)]]
      pair_auc(score[table$true_label == class], score[table$true_label != class])
    }, 0)
    share <- as.numeric(table(table$true_label)) / nrow(table)
    expect_equal(values$estimate[1], hand_till_by_pairs(table))
    expect_equal(values$estimate[2], mean(each))
    expect_equal(values$estimate[3], sum(each * share))
    expect_equal(values$estimate[4], micro_by_pairs(table))
    expect_equal(values$estimate[5:8], unname(each))
    expect_identical(values$estimator, c("hand_till", "macro", "macro_weighted", "micro",
                                         rep("one_vs_rest", 4)))
    expect_identical(values$class, c(rep(NA, 4), letters[1:4]))
    first <- table$true_label == "a"
    interval <- delong_interval(table$pred_prob_a[first], table$pred_prob_a[!first])
    expect_equal(c(values$lower[5], values$upper[5]), interval)
  }
})

test_that("a good classifier is not turned round", {
  auc <- multiclass_auc(fixture("ok_multiclass.csv"))
  expect_true(all(as.data.frame(auc)$estimate > 0.6))
})

test_that("with two classes all but the micro average are the AUC", {
  values <- as.data.frame(multiclass_auc(fixture("ok_binary.csv")))
  rest <- values$estimate[values$estimator != "micro"]
  expect_equal(rest, rep(roc_curve(fixture("ok_binary.csv"))$auc, 5))
})

test_that("an absent class is left out of the means and named", {
  values <- as.data.frame(multiclass_auc(fixture("ok_absent_class.csv")))
  expect_identical(
    values$reason[1:5],
    c(rep("left out: class 'bird' does not occur in the truth", 4),
      "class 'bird' does not occur in the truth")
  )
  table <- as.data.frame(read_predictions(fixture("ok_absent_class.csv")))
  table$true_label <- as.character(table$true_label)
  expect_equal(values$estimate[1], hand_till_by_pairs(table))
  expect_identical(values$estimate[5], NA_real_)
  expect_equal(values$estimate[2], mean(values$estimate[6:7]))
  present <- table[names(table) != "pred_prob_bird"]
  expect_equal(values$estimate[4], micro_by_pairs(present))
})

test_that("one class in the truth leaves no AUC", {
  p <- decided(c("a", "a"), c("a", "b"), c("a", "b", "c"))
  values <- as.data.frame(multiclass_auc(p))
  expect_true(all(is.na(values$estimate)))
  expect_identical(
    values$reason,
    c(rep("only class 'a' occurs in the truth", 5),
      "class 'b' does not occur in the truth", "class 'c' does not occur in the truth")
  )
})

test_that("too few examples, of a class or of the rest, are said so", {
  table <- random_table(3, n = 20, k = 3)
  table$true_label <- c("a", rep("b", 19))
  values <- as.data.frame(multiclass_auc(table))
  instead <- ": Newcombe's interval instead of DeLong's"
  expect_identical(
    values$reason,
    c(
      rep(paste0(
        "left out: class 'c' does not occur in the truth; ",
        "no interval: fewer than two examples of class 'a'"
      ), 4),
      paste0("fewer than two examples of class 'a'", instead),
      paste0("fewer than two examples of classes other than 'b'", instead),
      "class 'c' does not occur in the truth"
    )
  )
  expect_identical(values$method[5:6], rep("Newcombe", 2))
  expect_true(all(is.na(values$lower[1:4])))
})

test_that("Hand and Till's M is that of pROC::multiclass.roc() on a matrix", {
  for (seed in 1:5) {
    table <- random_table(seed, n = 60, k = 3)
    probabilities <- as.matrix(table[-1])
    colnames(probabilities) <- letters[1:3]
    theirs <- pROC::multiclass.roc(response = table$true_label, predictor = probabilities)
    expect_equal(as.data.frame(multiclass_auc(table))$estimate[1], as.numeric(theirs$auc))
  }
})

test_that("the interval of a mean of AUCs is DeLong's for a linear function of AUCs", {
  # pROC::cov() gives the covariance of two AUCs of the same rows; with two classes of one size and
  # the rest, macro is their mean, with the class shares fixed.
  table <- random_table(8, n = 90, k = 2)
  p <- as_predictions(table)
  values <- as.data.frame(multiclass_auc(p))
  error <- sqrt(pROC::var(pROC::roc(
    response = table$true_label, predictor = table$pred_prob_b, levels = c("a", "b"),
    direction = "<", quiet = TRUE
  )))
  expect_equal(values$std_error[values$estimator != "micro"], rep(error, 5))
  auc <- values$estimate[1]
  expect_equal(
    values$lower[1], plogis(qlogis(auc) - qnorm(0.975) * error / (auc * (1 - auc)))
  )
})

test_that("DeLong's and the bootstrap's standard errors are close", {
  set.seed(4)
  truth <- sample(c("a", "b", "c"), 300, replace = TRUE, prob = c(0.5, 0.3, 0.2))
  raw <- exp(matrix(rnorm(900), 300) + 1.2 * outer(truth, c("a", "b", "c"), "=="))
  table <- data.frame(true_label = truth, raw / rowSums(raw))
  names(table)[-1] <- paste0("pred_prob_", c("a", "b", "c"))
  delong <- as.data.frame(multiclass_auc(table))
  boot <- as.data.frame(multiclass_auc(table, interval = "bootstrap", replicates = 600))
  expect_identical(boot$estimate, delong$estimate)
  expect_identical(unique(boot$method), "bootstrap (percentile)")
  expect_equal(boot$std_error, delong$std_error, tolerance = 0.1)
  expect_equal(boot$lower, delong$lower, tolerance = 0.02)
  expect_equal(boot$upper, delong$upper, tolerance = 0.02)
})
