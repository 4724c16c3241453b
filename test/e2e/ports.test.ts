/** The tests here run side by side: each has ports of its own. */
import assert from 'node:assert/strict'
import { devnetPorts, namedPorts } from '../../packages/node/src/devnet/ports.ts'
import { ALL_E2E_PORTS, SPARE_PORTS } from '../support/e2e-ports.ts'

/** Systems give out ports from here on to whoever asks for any. */
const FIRST_EPHEMERAL_PORT = 32_768

describe('ports of end-to-end tests', () => {
  it('are of one network each, two sequencers included, and none is given out by the system', () => {
    const owners = new Map<number, string>()
    for (const { network, offset, spare } of ALL_E2E_PORTS) {
      const spares = Array.from({ length: SPARE_PORTS }, (_, index) => spare + index)
      for (const port of [...namedPorts(devnetPorts(offset, 2)).map(([, port]) => port), ...spares]) {
        assert.equal(owners.get(port), undefined, `${network} and ${owners.get(port)} both want ${port}`)
        assert.ok(port < FIRST_EPHEMERAL_PORT, `${network} wants ${port}`)
        owners.set(port, network)
      }
    }
    assert.ok(owners.size > ALL_E2E_PORTS.length * SPARE_PORTS)
  })
})
