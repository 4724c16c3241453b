/** Tokens judged by signature and time, and by whether who they name is still there: a deleted session ends at once. */
import type { Authenticator } from '../http/guards.ts'
import type { Tokens } from './tokens.ts'
import type { UserStore } from './user-store.ts'

export function createAuthenticator(tokens: Tokens, users: Pick<UserStore, 'hasUser' | 'hasSession'>): Authenticator {
  return {
    async authenticate(token) {
      const caller = await tokens.verify(token)
      if (caller === null) return null
      const there = caller.tier === 'user' ? users.hasUser(caller.userId) : users.hasSession(caller.sessionId, caller.userId)
      return (await there) ? caller : null
    },
  }
}
