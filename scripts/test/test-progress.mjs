/** The progress line of `npm test`: suite, tests done, groups done and time left. */

const LINE_EVERY_MS = 30_000
const REDRAW_MS = 1_000

export class TestProgress {
  #interactive = process.stdout.isTTY === true
  #startedMs = Date.now()
  #totalWeight
  #doneWeight = 0
  #tests = 0
  #suite
  #suiteGroups = 0
  #suiteStartedMs = 0
  #timer

  /** Weighs groups by the size of their files and the cost of their suite: a fresh clone has no other measure. */
  constructor(suites) {
    this.#totalWeight = suites.flatMap(({ groups }) => groups).reduce((sum, { weight }) => sum + weight, 0)
    this.#timer = setInterval(() => this.#draw(), this.#interactive ? REDRAW_MS : LINE_EVERY_MS)
  }

  suiteStarted(suite) {
    this.#suite = suite
    this.#suiteGroups = 0
    this.#tests = 0
    this.#suiteStartedMs = Date.now()
  }

  testDone() {
    this.#tests++
  }

  groupDone(_suite, group) {
    this.#suiteGroups++
    this.#doneWeight += group.weight
  }

  suiteDone(suite, { passed, failed }) {
    this.clear()
    console.log(`${suite.name}: ${passed} passed, ${failed} failed in ${duration(Date.now() - this.#suiteStartedMs)}`)
  }

  stop() {
    clearInterval(this.#timer)
    this.clear()
  }

  clear() {
    if (this.#interactive) process.stdout.write('\r\x1b[K')
  }

  #draw() {
    if (this.#suite === undefined) return
    const elapsedMs = Date.now() - this.#startedMs
    const share = this.#doneWeight / this.#totalWeight
    const left = share > 0.05 ? `about ${duration((elapsedMs * (1 - share)) / share)} left` : 'estimating time left'
    const line = `${this.#suite.name}: ${this.#tests} tests, ${this.#suiteGroups} of ${this.#suite.groups.length} groups; ${duration(elapsedMs)} so far, ${left}`
    if (this.#interactive) process.stdout.write(`\r\x1b[K${line}`)
    else console.log(line)
  }
}

function duration(ms) {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
