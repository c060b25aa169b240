//! A database inside one transaction, as one scope sees it.

use std::borrow::Cow;

use super::columns::Columns;
use super::dialect::Dialect;
use super::param::Param;
use crate::base::error::Result;

/// A database inside one transaction, as one scope sees it.
///
/// A statement names its values `$1`, `$2` and so on. The first two are the user and the agent of the scope, whether it
/// names them or not. Given ones follow. An error says what was attempted, and where.
pub(crate) trait Driver {
    /// Returns the words that are its own.
    fn dialect(&self) -> Dialect;

    /// Runs a statement, and gives each row that it answers.
    fn each(
        &self,
        sql: &str,
        values: Vec<Param>,
        take: &mut dyn FnMut(&dyn Columns) -> Result<()>,
    ) -> Result<()>;

    /// Runs a statement that adds a row and answers nothing. It may go with the next statement, whose error is its own
    /// then. It may not look at what another one of its kind adds.
    fn put(&self, sql: Cow<'static, str>, values: Vec<Param>) -> Result<()>;
}

/// Comfort over [`Driver`].
pub(crate) trait DriverExt: Driver {
    /// Runs a statement, and reads all rows that it answers.
    fn all<T>(
        &self,
        sql: &str,
        values: Vec<Param>,
        mut read: impl FnMut(&dyn Columns) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each(sql, values, &mut |found| {
            all.push(read(found)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Runs a statement, and reads the first row that it answers.
    fn first<T>(
        &self,
        sql: &str,
        values: Vec<Param>,
        mut read: impl FnMut(&dyn Columns) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut first = None;
        self.each(sql, values, &mut |found| {
            if first.is_none() {
                first = Some(read(found)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Runs a statement, and counts the rows that it answers.
    fn count(&self, sql: &str, values: Vec<Param>) -> Result<u64> {
        let mut count = 0;
        self.each(sql, values, &mut |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }

    /// Returns whether a statement answers any row.
    fn finds(&self, sql: &str, values: Vec<Param>) -> Result<bool> {
        Ok(self.count(sql, values)? > 0)
    }

    /// Runs a statement without reading its answer.
    fn run(&self, sql: &str, values: Vec<Param>) -> Result<()> {
        self.each(sql, values, &mut |_| Ok(()))
    }
}

impl<D: Driver + ?Sized> DriverExt for D {}

/// Runs a statement, and reads the numbers that it answers.
pub(crate) fn read_numbers(driver: &dyn Driver, sql: &str, values: Vec<Param>) -> Result<Vec<i64>> {
    driver.all(sql, values, |found| found.number(0))
}

/// Runs a statement, and reads the first number that it answers.
pub(crate) fn read_number(driver: &dyn Driver, sql: &str, values: Vec<Param>) -> Result<Option<i64>> {
    driver.first(sql, values, |found| found.number(0))
}

/// Runs a statement, and reads how many it says; 0 where it answers nothing.
pub(crate) fn read_count(driver: &dyn Driver, sql: &str, values: Vec<Param>) -> Result<u64> {
    Ok(u64::try_from(read_number(driver, sql, values)?.unwrap_or(0)).unwrap_or(0))
}

/// Runs a statement, and reads the first text that it answers.
pub(crate) fn read_text(driver: &dyn Driver, sql: &str, values: Vec<Param>) -> Result<Option<String>> {
    driver.first(sql, values, |found| found.text(0))
}
