/** The token of the one bot that there is. */
export const TOKEN = "123456789:AAstandInForTheTokenOfABot_-000000";
/** The chat that it is in. */
export const CHAT = -1_001_234_567_890;
/** How long a second lasts here. */
export const SECOND_MS = 10;
