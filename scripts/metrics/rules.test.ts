import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readRuleFile } from './rules.ts'

const ROOT = join(import.meta.dirname, '..', '..')

interface RuleTest {
  readonly alertname: string
  readonly exp_alerts: readonly unknown[]
}

describe('the alert rules', () => {
  const rules = readRuleFile(ROOT).groups.flatMap(({ rules }) => rules)

  it('each say what is wrong and what to do, as a sentence', () => {
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity, /^(critical|warning)$/, alert)
      for (const text of [annotations.summary, annotations.action]) assert.match(text, /^[A-Z{].*\.$/, alert)
    }
  })

  it('each name their section of the runbook, which has no other sections', () => {
    const page = readFileSync(join(ROOT, 'config', 'runbooks', 'alerts.md'), 'utf8')
    const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    assert.deepEqual(
      sections,
      rules.map(({ alert }) => alert),
    )
    for (const { alert, annotations } of rules) assert.equal(annotations.runbook_url, `config/runbooks/alerts.md#${alert.toLowerCase()}`)
    for (const [, anchor] of page.matchAll(/\]\(#([^)]*)\)/g))
      assert.ok(
        sections.some((title) => title?.toLowerCase() === anchor),
        `there is no section #${anchor}`,
      )
  })

  it('each have a section that says what is to be seen, why, and how to know that it is over', () => {
    const page = readFileSync(join(ROOT, 'config', 'runbooks', 'alerts.md'), 'utf8')
    for (const section of page.split(/^(?=## )/m).slice(1))
      for (const part of ['**You see**', '**It worked when**']) assert.ok(section.includes(part), `${section.split('\n')[0]}: ${part}`)
  })

  it('each have a test in which they fire, and one in which they are silent when they have a duration', () => {
    const file = readFileSync(join(ROOT, 'config', 'prometheus', 'alerts.test.yml'), 'utf8')
    const { tests } = parse(file) as { readonly tests: readonly { readonly alert_rule_test: readonly RuleTest[] }[] }
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
    for (const { alert, for: duration } of rules) {
      const own = cases.filter(({ alertname }) => alertname === alert)
      assert.ok(
        own.some(({ exp_alerts }) => exp_alerts.length > 0),
        `${alert} never fires in alerts.test.yml`,
      )
      if (duration !== undefined)
        assert.ok(
          own.some(({ exp_alerts }) => exp_alerts.length === 0),
          `${alert} is never silent in alerts.test.yml`,
        )
    }
  })
})
