import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly action: string; readonly runbook_url: string }
}

export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[]
}

export interface Expression {
  readonly where: string
  readonly expression: string
}

export const RULES_PATH = join('config', 'prometheus', 'alerts.yml')

export function readRuleFile(root: string): RuleFile {
  return parse(readFileSync(join(root, RULES_PATH), 'utf8')) as RuleFile
}

export function readRules(root: string): readonly Expression[] {
  return readRuleFile(root)
    .groups.flatMap(({ rules }) => rules)
    .map(({ alert, expr }) => ({ where: `alert ${alert}`, expression: expr }))
}
