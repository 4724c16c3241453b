/** Switches that decide whether money moves. Only JSON booleans are accepted, never a word or a number. */
import { z } from 'zod'

/** Error text for other values; request validation also recognises such a switch by it. */
export const STRICT_BOOLEAN = 'expected true or false, as a JSON boolean'

export const StrictBoolean = z.boolean({ error: STRICT_BOOLEAN })
