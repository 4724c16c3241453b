export interface Check {
  readonly name: string
  readonly violations: readonly string[]
  readonly detail: string
}

const KEPT = 10

export interface Judge {
  readonly checks: readonly Check[]
  readonly failed: boolean
  watch(name: string): { violation(text: string): void; describe(text: string): void }
  verify(name: string, check: () => Promise<string>): Promise<void>
}

export function createJudge(print: (line: string) => void): Judge {
  const checks: { name: string; violations: string[]; detail: string; total: number }[] = []
  const add = (name: string) => {
    const check = { name, violations: [] as string[], detail: '', total: 0 }
    checks.push(check)
    return check
  }
  const violate = (check: { name: string; violations: string[]; total: number }, text: string) => {
    check.total++
    if (check.violations.length >= KEPT) return
    check.violations.push(text)
    print(`VIOLATION ${check.name}: ${text}`)
  }
  return {
    checks,
    get failed() {
      return checks.some(({ violations }) => violations.length > 0)
    },
    watch(name) {
      const check = add(name)
      return {
        violation: (text) => violate(check, text),
        describe(text) {
          check.detail = text
        },
      }
    },
    async verify(name, run) {
      const check = add(name)
      try {
        check.detail = await run()
      } catch (error) {
        violate(check, error instanceof Error ? error.message : String(error))
      }
    },
  }
}
