import assert from 'node:assert/strict'
import { DEFAULT_DEVNET_FOLDER } from '@keelson/devnet'
import { proveCommand } from './prove-command.ts'

const HASH = `0x${'ab'.repeat(32)}`

describe('the next step after a withdrawal', () => {
  it('names the network that the withdrawal is of, unless it is the default one', () => {
    assert.match(proveCommand(HASH, { network: null, devnet: DEFAULT_DEVNET_FOLDER }), new RegExp(`bridge prove ${HASH} --wait$`))
    assert.match(proveCommand(HASH, { network: null, devnet: '.keelson/light' }), / --wait --devnet \.keelson\/light$/)
    assert.match(proveCommand(HASH, { network: 'op-sepolia', devnet: DEFAULT_DEVNET_FOLDER }), / --network op-sepolia, with the RPC URLs/)
  })
})
