/**
 * JSON schema of the parts of Grafana's classic dashboard model that our dashboards use. Types and limits are those of
 * kinds/dashboard/dashboard_kind.cue in grafana/grafana; unknown properties are errors, which finds misspelt ones.
 */
const text = { type: 'string', minLength: 1 }
const object = (required: readonly string[], properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})
const list = (items: object, minItems = 0) => ({ type: 'array', items, minItems })

const source = object(['type', 'uid'], { type: text, uid: text })
const threshold = object(['color', 'value'], { color: text, value: { type: ['number', 'null'] } })
const target = object(['refId', 'datasource', 'expr', 'legendFormat'], {
  refId: { type: 'string', pattern: '^[A-Z]$' },
  datasource: source,
  expr: text,
  legendFormat: text,
})
const defaults = object(['unit', 'thresholds'], {
  unit: text,
  custom: { type: 'object' },
  thresholds: object(['mode', 'steps'], { mode: { enum: ['absolute', 'percentage'] }, steps: list(threshold, 1) }),
})
const panel = object(['id', 'type', 'title', 'datasource', 'gridPos', 'fieldConfig', 'options', 'targets'], {
  id: { type: 'integer', minimum: 1 },
  type: { enum: ['timeseries', 'stat', 'gauge', 'table', 'row'] },
  title: text,
  datasource: source,
  gridPos: object(['h', 'w', 'x', 'y'], {
    h: { type: 'integer', minimum: 1 },
    w: { type: 'integer', minimum: 1, maximum: 24 },
    x: { type: 'integer', minimum: 0, maximum: 23 },
    y: { type: 'integer', minimum: 0 },
  }),
  fieldConfig: object(['defaults', 'overrides'], { defaults, overrides: list({ type: 'object' }) }),
  options: { type: 'object' },
  targets: list(target, 1),
})
const variable = {
  type: 'object',
  required: ['name', 'type', 'hide', 'query'],
  properties: {
    name: text,
    type: { enum: ['query', 'adhoc', 'constant', 'datasource', 'interval', 'textbox', 'custom', 'system'] },
    hide: { enum: [0, 1, 2] },
    query: text,
    datasource: source,
  },
}
const annotation = {
  type: 'object',
  required: ['name', 'datasource', 'enable', 'iconColor'],
  properties: { name: text, datasource: source, enable: { type: 'boolean' }, iconColor: text },
}

export const DASHBOARD_SCHEMA = object(['uid', 'title', 'schemaVersion', 'panels', 'templating', 'time'], {
  uid: { type: 'string', minLength: 8, maxLength: 40 },
  title: text,
  tags: list(text),
  timezone: text,
  editable: { type: 'boolean' },
  graphTooltip: { enum: [0, 1, 2] },
  schemaVersion: { type: 'integer', minimum: 36, maximum: 65_535 },
  refresh: text,
  time: object(['from', 'to'], { from: text, to: text }),
  templating: object(['list'], { list: list(variable) }),
  annotations: object(['list'], { list: list(annotation) }),
  panels: list(panel, 1),
})
