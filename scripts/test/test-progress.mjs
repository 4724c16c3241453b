const LINE_EVERY_MS = 30_000
const REDRAW_MS = 1_000

export class TestProgress {
  #interactive = process.stdout.isTTY === true
  #startedMs = Date.now()
  #totalWeight
  #doneWeight = 0
  #tests = 0
  #groups = 0
  #doneGroups = 0
  #inProgress = []
  #timer

  constructor(suites) {
    const groups = suites.flatMap((suite) => suite.groups)
    this.#groups = groups.length
    this.#totalWeight = groups.reduce((sum, { weight }) => sum + weight, 0)
    this.#timer = setInterval(() => this.#draw(), this.#interactive ? REDRAW_MS : LINE_EVERY_MS)
  }

  suiteStarted(name) {
    this.#inProgress.push(name)
  }

  testDone() {
    this.#tests++
  }

  groupDone(group) {
    this.#doneGroups++
    this.#doneWeight += group.weight
  }

  suiteDone(name, { passed, failed }) {
    this.#inProgress = this.#inProgress.filter((other) => other !== name)
    this.clear()
    console.log(`${name}: ${passed} passed, ${failed} failed; ${duration(Date.now() - this.#startedMs)} so far`)
  }

  stop() {
    clearInterval(this.#timer)
    this.clear()
  }

  clear() {
    if (this.#interactive) process.stdout.write('\r\x1b[K')
  }

  #draw() {
    const elapsedMs = Date.now() - this.#startedMs
    const share = this.#doneWeight / this.#totalWeight
    const left = share > 0.05 ? `about ${duration((elapsedMs * (1 - share)) / share)} left` : 'estimating time left'
    const parts = this.#inProgress.join(', ')
    const line = `${parts}: ${this.#tests} tests, ${this.#doneGroups} of ${this.#groups} groups; ${duration(elapsedMs)} so far, ${left}`
    if (this.#interactive) process.stdout.write(`\r\x1b[K${line}`)
    else console.log(line)
  }
}

export function duration(ms) {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
