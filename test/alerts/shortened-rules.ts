import type { RuleFile } from '../../scripts/metrics/rules.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
/** A range needs at least this many seconds to hold several scrapes. */
const LEAST_SEC = 5

/** The same rules with every `for` and every range divided by `factor`, but not below `leastSec` and never longer than before. */
export function shortenRules({ groups }: RuleFile, factor: number, leastSec = LEAST_SEC): RuleFile {
  const shorter = (duration: string): string => {
    const [, count, unit] = /^(\d+)([smhd])$/.exec(duration) ?? []
    if (unit === undefined) throw new Error(`the duration ${duration} is not a number with s, m, h or d`)
    const wholeSec = Number(count) * (SECONDS[unit] as number)
    return `${Math.max(Math.min(wholeSec, leastSec), Math.round(wholeSec / factor))}s`
  }
  return {
    groups: groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replace(/\[(\w+)\]/g, (_, range: string) => `[${shorter(range)}]`),
        ...(rule.for === undefined ? {} : { for: shorter(rule.for) }),
      })),
    })),
  }
}
