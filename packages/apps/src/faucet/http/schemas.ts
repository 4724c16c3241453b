/** Addresses are validated later, for better errors. */
const text = (maxLength: number, minLength = 1) => ({ type: 'string', minLength, maxLength }) as const
/** Excludes control characters, because the operator reads the text on a terminal. */
const line = (maxLength: number) =>
  ({ ...text(maxLength), pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]+$' }) as const
const address = text(100)
const nonce = text(100)
const signature = text(200)
/** Null means that it is not given. */
const captcha = { ...text(4096, 0), nullable: true } as const

const body = <P extends Record<string, unknown>>(properties: P, required: readonly (keyof P & string)[]) =>
  ({ type: 'object', properties, required: [...required] }) as const

export const claimSchema = { body: body({ address, captcha }, ['address']) }
export const challengeSchema = { body: body({ address, purpose: { type: 'string', enum: ['verify', 'apply'] } }, ['address', 'purpose']) }
export const verifySchema = { body: body({ address, nonce, code: text(20), signature }, ['address', 'nonce', 'code', 'signature']) }
export const applySchema = {
  body: body({ address, nonce, signature, contact: line(200), project: line(2000), captcha }, [
    'address',
    'nonce',
    'signature',
    'contact',
    'project',
  ]),
}
export const statusSchema = { querystring: body({ address }, ['address']) }
export const callbackSchema = { querystring: body({ state: text(200), code: text(200), error: text(200) }, ['state']) }
export const localSchema = { querystring: body({ state: text(200), login: text(39) }, ['state']) }
