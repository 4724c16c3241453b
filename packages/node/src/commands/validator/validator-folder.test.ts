import assert from 'node:assert/strict'
import { machineFolder } from './validator-folder.ts'

const AT_HOME = '/home/v/.local/state/keelson/validator-keys'

describe('folder in which a machine notes its keys', () => {
  const home = () => '/home/v'

  it('is where the user keeps state', () => {
    assert.equal(machineFolder({ HOME: '/home/v' }), AT_HOME)
    assert.equal(machineFolder({ HOME: '/home/v', XDG_STATE_HOME: '/var/state' }), '/var/state/keelson/validator-keys')
  })

  it('is the same wherever a command is started: empty and relative variables are not set', () => {
    for (const unset of ['', 'state', './state', undefined]) {
      assert.equal(machineFolder({ HOME: '/home/v', XDG_STATE_HOME: unset }), AT_HOME)
      assert.equal(machineFolder({ HOME: unset, XDG_STATE_HOME: unset }, home), AT_HOME)
    }
    assert.match(machineFolder({ HOME: '' }), /^\//)
  })
})
