import assert from 'node:assert/strict'
import { judgeTaken } from './port-state.ts'

describe('the state of a port in use', () => {
  it('follows from the sockets on it', () => {
    const row = (port: string, state: string, inode: number) => `   0: 0100007F:${port} 00000000:0000 ${state} 0:0 00:0 0 1000 0 ${inode} 1`
    assert.deepEqual(judgeTaken(0x2161, [row('2161', '06', 0)]), { kind: 'closing' })
    assert.deepEqual(judgeTaken(0x2161, [row('2161', '06', 0), row('2161', '01', 9)]), { kind: 'connection', inode: '9' })
    assert.deepEqual(judgeTaken(0x2161, [row('2161', '01', 9), row('2161', '0A', 7)]), { kind: 'listener', inode: '7' })
    assert.deepEqual(judgeTaken(0x2161, [row('2162', '0A', 7)]), { kind: 'listener', inode: null })
    assert.deepEqual(judgeTaken(0x2161, ['']), { kind: 'listener', inode: null })
  })
})
