/** Counts named checks and prints a line for each. `check` resolves to whether `act` succeeded; it never rejects. */
export function createChecks(passed = 0) {
  const total = { passed, failed: 0 }

  async function check(name, act) {
    const started = Date.now()
    try {
      await act()
      total.passed++
      console.log(`ok    ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
      return true
    } catch (error) {
      total.failed++
      console.log(`FAIL  ${name}: ${error.message}`)
      return false
    }
  }

  return { total, check }
}
