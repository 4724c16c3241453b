import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import { type DashboardSpec, renderDashboard } from './dashboard.ts'
import { DASHBOARD_SCHEMA } from './schema.ts'

const validate = new Ajv({ allowUnionTypes: true }).compile(DASHBOARD_SCHEMA)
const isValid = (dashboard: object): boolean => validate(dashboard)
const SPEC: DashboardSpec = {
  name: 'test',
  title: 'Test',
  instanceOf: null,
  panels: [
    { title: 'Lag', unit: 'short', queries: [['{{instance}}', 'lag']], target: 1, alert: 10 },
    { title: 'Peers', unit: 'short', queries: [['{{instance}}', 'peers']], target: 25, alert: 5 },
    { title: 'Heads', unit: 'none', queries: [['{{instance}}', 'head']] },
    { title: 'Gas', unit: 'short', queries: [['{{instance}}', 'gas']] },
  ],
}

interface Rendered {
  readonly panels: readonly {
    readonly gridPos: { readonly x: number; readonly y: number }
    readonly fieldConfig: { readonly defaults: { readonly thresholds: { readonly steps: readonly object[] } } }
  }[]
}

describe('a dashboard', () => {
  it('colours values beyond the target yellow and beyond the alert red, in both directions', () => {
    const [lag, peers] = (renderDashboard(SPEC) as Rendered).panels.map(({ fieldConfig }) => fieldConfig.defaults.thresholds.steps)
    assert.deepEqual(lag, [
      { color: 'green', value: null },
      { color: 'yellow', value: 1 },
      { color: 'red', value: 10 },
    ])
    assert.deepEqual(peers, [
      { color: 'red', value: null },
      { color: 'yellow', value: 5 },
      { color: 'green', value: 25 },
    ])
  })

  it('places three panels in a row', () => {
    const places = (renderDashboard(SPEC) as Rendered).panels.map(({ gridPos }) => [gridPos.x, gridPos.y])
    assert.deepEqual(places, [
      [0, 0],
      [8, 0],
      [16, 0],
      [0, 8],
    ])
  })

  it('is invalid with a misspelt property, a panel outside the grid, or without a title', () => {
    const good = renderDashboard(SPEC) as Rendered
    assert.ok(isValid(good))
    assert.ok(!isValid({ ...good, tilte: 'Test' }))
    assert.ok(!isValid({ ...good, title: '' }))
    const [panel] = good.panels
    assert.ok(!isValid({ ...good, panels: [{ ...panel, gridPos: { x: 24, y: 0, w: 8, h: 8 } }] }))
  })
})
