// Style sheets are modules to the bundler.
declare module '*.css';
