/** Mocha's dot reporter, which also writes {passed, failed} to $KEELSON_TEST_COUNTS for the scripts that add suites up. */
const { writeFileSync } = require('node:fs')
const Mocha = require('mocha')

class CountReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = runner.stats
      const file = process.env.KEELSON_TEST_COUNTS
      if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures }))
    })
  }
}

module.exports = CountReporter
