/** A dashboard in the classic JSON model of Grafana, which all its versions import. */
export interface PanelSpec {
  readonly title: string
  /** Unit id of Grafana: s, bytes, percentunit, short ... */
  readonly unit: string
  readonly queries: readonly (readonly [legend: string, expression: string])[]
  /** Where the colour turns yellow and red; falling values are bad when the alert is below the target. */
  readonly target?: number
  readonly alert?: number
}

export interface DashboardSpec {
  readonly name: string
  readonly title: string
  /** The metric whose `instance` label fills the variable `instance`; null for a dashboard of all nodes. */
  readonly instanceOf: string | null
  readonly panels: readonly PanelSpec[]
}

const SCHEMA_VERSION = 39
const COLUMNS = 24
const WIDTH = 8
const HEIGHT = 8
const SOURCE = { type: 'prometheus', uid: '$' + '{datasource}' }

export function renderDashboard({ name, title, instanceOf, panels }: DashboardSpec): object {
  const variables = [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', hide: 0 },
    ...(instanceOf === null ? [] : [instanceVariable(instanceOf)]),
  ]
  return {
    uid: `keelson-${name}`,
    title,
    tags: ['keelson'],
    timezone: 'browser',
    editable: true,
    graphTooltip: 1,
    schemaVersion: SCHEMA_VERSION,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: variables },
    annotations: { list: [alertAnnotation()] },
    panels: panels.map(renderPanel),
  }
}

function instanceVariable(metric: string): object {
  const query = `label_values(${metric}, instance)`
  return {
    name: 'instance',
    label: 'Instance',
    type: 'query',
    datasource: SOURCE,
    query,
    refresh: 2,
    includeAll: true,
    multi: true,
    hide: 0,
  }
}

function alertAnnotation(): object {
  const expr = 'ALERTS{alertstate="firing",job=~"keelson-.*|"}'
  const texts = { titleFormat: '{{alertname}}', textFormat: '{{instance}}', tagKeys: 'severity' }
  return { name: 'Alerts', datasource: SOURCE, enable: true, iconColor: 'red', expr, step: '15s', ...texts }
}

function renderPanel({ title, unit, queries, target, alert }: PanelSpec, index: number): object {
  const perRow = COLUMNS / WIDTH
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: SOURCE,
    gridPos: { h: HEIGHT, w: WIDTH, x: (index % perRow) * WIDTH, y: Math.floor(index / perRow) * HEIGHT },
    fieldConfig: {
      defaults: { unit, custom: { fillOpacity: 8, thresholdsStyle: { mode: 'dashed' } }, thresholds: thresholds(target, alert) },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(([legendFormat, expr], query) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + query),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }
}

function thresholds(target: number | undefined, alert: number | undefined): object {
  const none = { color: 'green', value: null }
  if (alert === undefined) return { mode: 'absolute', steps: [none] }
  const middle = target ?? alert
  if (alert < middle) {
    const steps = [
      { color: 'red', value: null },
      { color: 'yellow', value: alert },
      { color: 'green', value: middle },
    ]
    return { mode: 'absolute', steps }
  }
  return {
    mode: 'absolute',
    steps: [none, ...(middle === alert ? [] : [{ color: 'yellow', value: middle }]), { color: 'red', value: alert }],
  }
}
