// Starts the console in the page.
import '../styles/tokens.css';
import '../styles/parts.css';
import '../styles/operations.css';
import { render } from 'preact';
import { followAlerts } from '../net/alert-summary.js';
import { followFacts } from '../net/server-facts.js';
import { followTheme } from '../state/theme.js';
import { followAddress } from '../state/url-state.js';
import { Shell } from './shell.js';

const place = document.getElementById('console');
if (place === null) throw new Error('the page has no place for the console');
followTheme();
followAddress();
followFacts();
followAlerts();
render(<Shell />, place);
