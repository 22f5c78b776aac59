use super::shown;
