import assert from 'node:assert/strict'
import type { ContractCase, ContractTable } from '../../support/platform/contract-case.ts'
import { PASSWORD } from '../../support/platform/contract-world.ts'
import { userIdOf } from '../../support/platform/token-claims.ts'

let emails = 0
const newEmail = () => `contract${++emails}@example.org`
const SESSION = '/api/v1/auth/session/{session_id}'
const MAX_SESSIONS = 1_000

const ofOther: ContractCase = ({ theirs }, ask) => ask({ params: { session_id: theirs.sessionId }, form: { name: 'mine now' } })

const deletedMeanwhile =
  (by: 'update' | 'delete'): ContractCase =>
  async (world, ask) => {
    const { session, sessionId } = await world.newUser()
    world.database.forestall(by, `delete from sessions where id = '${sessionId}'`)
    return ask({ token: session, params: { session_id: sessionId }, form: { name: 'too late' } })
  }

export const AUTH: ContractTable = {
  'POST /api/v1/auth/register': {
    valid: () => ({ json: { email: newEmail(), password: PASSWORD } }),
    cases: {
      '400 an address that is taken': (_world, ask) => ask({ json: { email: 'user1@example.org', password: PASSWORD } }),
      '422 a password too short': (_world, ask) => ask({ json: { email: newEmail(), password: 'short' } }),
    },
  },
  'POST /api/v1/auth/login': {
    valid: () => ({ form: { username: 'user1@example.org', password: PASSWORD, grant_type: 'password' } }),
    cases: {
      '401 a wrong password': (_world, ask) => ask({ form: { username: 'user2@example.org', password: 'a wrong one' } }),
      '401 an unknown user': (_world, ask) => ask({ form: { username: 'nobody@example.org', password: PASSWORD } }),
    },
  },
  'POST /api/v1/auth/session': {
    cases: {
      async 200(_world, ask) {
        const answer = await ask()
        assert.equal(answer.body.name, '')
        return answer
      },
      async '400 sessions beyond the most'(world, ask) {
        const { user } = await world.newUser()
        await world.database.db.execute(
          `insert into sessions (id, user_id, name, created_at)
           select gen_random_uuid(), ${userIdOf(user)}, '', now() from generate_series(2, ${MAX_SESSIONS})`,
        )
        return ask({ token: user })
      },
    },
  },
  'GET /api/v1/auth/sessions': {
    cases: {
      async '200 with the token of the user'({ mine }, ask) {
        const answer = await ask({ token: mine.user })
        assert.ok(answer.body.some(({ session_id }: { session_id: string }) => session_id === mine.sessionId))
        return answer
      },
      '200 with the token of a session': ({ mine }, ask) => ask({ token: mine.session }),
    },
  },
  [`PATCH ${SESSION}/name`]: {
    valid: ({ mine }) => ({ params: { session_id: mine.sessionId }, form: { name: 'my first' } }),
    cases: {
      '403 the session of another': ofOther,
      '404 a session that is deleted at this moment': deletedMeanwhile('update'),
    },
  },
  [`DELETE ${SESSION}`]: {
    valid: async (world) => {
      const { session, sessionId } = await world.newSession(world.mine.user)
      return { token: session, params: { session_id: sessionId } }
    },
    cases: {
      '403 the session of another': ofOther,
      '404 a session that is deleted at this moment': deletedMeanwhile('delete'),
    },
  },
}
