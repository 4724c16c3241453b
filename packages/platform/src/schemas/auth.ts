import { z } from 'zod'
import { EXAMPLES } from './examples.ts'

/** Longest path of RFC 5321, section 4.5.3.1.3. */
const MAX_EMAIL = 254
const MIN_PASSWORD = 8
const MAX_PASSWORD = 256
export const MAX_SESSION_NAME = 100

const timestamp = z.iso.datetime().describe('ISO 8601, UTC')

export const token = z
  .object({ access_token: z.string().describe('JWT'), token_type: z.literal('bearer'), expires_at: timestamp })
  .meta({ id: 'Token' })

export const user = z.object({ id: z.int(), email: z.string(), token }).meta({ id: 'User' })

export const session = z
  .object({ session_id: z.string(), name: z.string().describe('Empty for a new session'), token: token.describe('Session token') })
  .meta({ id: 'Session' })

export const message = z.object({ message: z.string() }).meta({ id: 'Confirmation' })

/** A local part of 64 characters (RFC 5321, section 4.5.3.1.1) at a domain of labels of 63 (RFC 1035, section 2.3.4). */
const MAILBOX = /^(?=[^@]{1,64}@)[\w'+-]+(\.[\w'+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/

/** the pattern is slow on very long text */
const Email = z
  .string()
  .max(MAX_EMAIL, { abort: true })
  .check(z.email({ pattern: MAILBOX }))
  .meta({ description: 'Case-insensitive', example: 'ann@example.org' })

export const registration = z
  .object({ email: Email, password: z.string().min(MIN_PASSWORD).max(MAX_PASSWORD).describe('Any characters') })
  .meta({ id: 'Registration', example: EXAMPLES.registration })

export const loginForm = z
  .object({
    username: z.string().max(1_000).describe('Email address'),
    password: z.string().max(MAX_PASSWORD).describe('Password of the account'),
    grant_type: z.literal('password').optional().describe('Default: password'),
    // OAuth 2 clients send these fields
    scope: z.string().optional().describe('Ignored'),
    client_id: z.string().optional().describe('Ignored'),
    client_secret: z.string().optional().describe('Ignored'),
  })
  .meta({ id: 'LoginForm', example: EXAMPLES.login })

export const sessionNameForm = z
  .object({ name: z.string().min(1).max(MAX_SESSION_NAME).meta({ example: 'morning' }) })
  .meta({ id: 'SessionNameForm', example: EXAMPLES.sessionName })

export const sessionParams = z.object({ session_id: z.string().min(1).max(100).describe('session_id of POST /api/v1/auth/session') })
