import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { assertRoom } from './disk-room.ts'

describe('room for a copy', () => {
  it('is looked for before anything is written', async () => {
    await assertRoom(tmpdir(), 0)
    await assert.rejects(assertRoom(tmpdir(), 2 ** 60), { code: 'node/disk', message: /MiB free, expected .*Nothing was changed/ })
  })
})
