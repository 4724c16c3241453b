import assert from 'node:assert/strict'
import { createActivationWatch } from './activation-watch.ts'
import { createForkSchedule } from './fork-schedule.ts'

describe('a fork that activates', () => {
  const genesis = { regolith: 0, canyon: 0, delta: 0, ecotone: 0, fjord: 0, granite: 0, holocene: 0 } as const
  const watch = () => createActivationWatch(createForkSchedule({ times: { ...genesis, isthmus: 100, jovian: 200 } }))

  it('is reported once, with its first block', () => {
    const activations = watch()
    const said = [90, 98, 100, 102, 198, 204, 206].map((timestampSec) => activations.head(timestampSec))
    assert.deepEqual(said, [[], [], ['isthmus'], [], [], ['jovian'], []])
  })

  it('is not reported again after a reorg across it, nor after a restart above it', () => {
    const activations = watch()
    assert.deepEqual(
      [98, 100, 98, 100, 102].map((timestampSec) => activations.head(timestampSec).length),
      [0, 1, 0, 0, 0],
    )
    assert.deepEqual(watch().head(150), [])
  })

  it('is reported with others when one block activates several', () => {
    const activations = watch()
    activations.head(50)
    assert.deepEqual(activations.head(300), ['isthmus', 'jovian'])
  })
})
